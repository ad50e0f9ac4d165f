//go:build unix

package cluster

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

const megabyte = 1 << 20

// settings are given on the command line, where they hold over postgresql.conf.
func settings(socket, compression string, throwaway bool, buffers int64) []string {
	values := []string{
		"listen_addresses=",
		"unix_socket_directories=" + socket,
		"unix_socket_permissions=0700",
		"port=5432", // names the socket only
		"logging_collector=off",
		"checkpoint_timeout=30min",
		"timezone=UTC",
		"log_timezone=UTC",
	}
	if throwaway {
		values = append(values, "fsync=off", "full_page_writes=off", "synchronous_commit=off",
			"shared_buffers=64MB", "log_checkpoints=off", "wal_level=minimal", "max_wal_senders=0",
			"wal_compression=off", "max_wal_size=256MB") // the log may lie in memory
	} else {
		values = append(values, "fsync=on", "full_page_writes=on", "synchronous_commit=on", "wal_compression="+compression, "max_wal_size=8GB",
			fmt.Sprintf("shared_buffers=%dMB", buffers/megabyte))
	}
	return values
}

// arguments start PostgreSQL in a data directory with settings.
func arguments(data string, values []string) []string {
	args := []string{"-D", data}
	for _, value := range values {
		args = append(args, "-c", value)
	}
	return args
}

// compression is how pages are made small that go into the log as a whole: by zstd if these
// binaries were built with it, which makes pages of keys a third smaller than their own way.
func compression(ctx context.Context, b Binaries, data string) string {
	const best = "zstd"
	ask := exec.CommandContext(ctx, b.path("postgres"), "-C", "wal_compression", "-D", data, "-c", "wal_compression="+best)
	ask.Dir, ask.Env = "/", environment
	if ask.Run() != nil {
		return "on"
	}
	return best
}

// sharedBuffers is an eighth of the memory, within 32 MB and 1 GB: a private cluster shares its
// machine with other programs, and the system's own cache does nearly as well.
func sharedBuffers(memory int64) int64 {
	return min(max(memory/8, 32*megabyte), 1<<10*megabyte)
}

// memory is what this process may use, in bytes; 512 MB where nothing tells.
func memory() int64 {
	total := int64(512 * megabyte)
	if info, err := os.ReadFile("/proc/meminfo"); err == nil {
		var kilobytes int64
		if _, err := fmt.Sscanf(string(info), "MemTotal: %d kB", &kilobytes); err == nil {
			total = kilobytes << 10
		}
	}
	for _, limit := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(limit)
		if err != nil {
			continue
		}
		var bytes int64
		if _, err := fmt.Sscan(strings.TrimSpace(string(text)), &bytes); err == nil && bytes > 0 {
			total = min(total, bytes)
		}
	}
	return total
}
