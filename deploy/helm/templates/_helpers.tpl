{{- define "tollkeeper.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "tollkeeper.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "tollkeeper.labels" -}}
{{ include "tollkeeper.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- /* The secret that the chart makes of what values hold in plain text; "" when they hold nothing. */ -}}
{{- define "tollkeeper.secret" -}}
{{- with .Values.database }}
{{- if not .existingSecret }}
url: {{ required "set database.url or database.existingSecret" .url | quote }}
{{- with .migrateUrl }}
migrateUrl: {{ . | quote }}
{{- end }}
{{- with .replicaUrl }}
replicaUrl: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.mail }}
{{- if and .smtpUrl (not .existingSecret) }}
smtpUrl: {{ .smtpUrl | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- /* A variable with the value of a secret: of one that exists, else of the chart's. Arguments: root, name, secret, key, own. */ -}}
{{- define "tollkeeper.secretVariable" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .secret | default (include "tollkeeper.name" .root) }}
      key: {{ if .secret }}{{ .key }}{{ else }}{{ .own }}{{ end }}
{{- end }}

{{- /* 90 % of the limit of memory, in KiB as GOMEMLIMIT takes it; "" without a limit, or where values set it. */ -}}
{{- define "tollkeeper.memoryLimit" -}}
{{- $limit := dig "limits" "memory" "" .Values.resources | toString }}
{{- $set := hasKey .Values.settings "GOMEMLIMIT" }}
{{- range .Values.env }}{{ if eq .name "GOMEMLIMIT" }}{{ $set = true }}{{ end }}{{ end }}
{{- if and $limit (not $set) }}
{{- $units := dict "" 1 "k" 1000 "M" 1000000 "G" 1000000000 "T" 1000000000000 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 }}
{{- $unit := regexFind "[A-Za-z]*$" $limit }}
{{- if not (and (hasKey $units $unit) (regexMatch "^[0-9]+([.][0-9]+)?[A-Za-z]*$" $limit)) }}
{{- fail "resources.limits.memory: must be a number with k, M, G, T, Ki, Mi, Gi or Ti, such as 1Gi" }}
{{- end }}
{{- divf (mulf (trimSuffix $unit $limit | float64) (get $units $unit) 0.9) 1024 | floor | int64 }}KiB
{{- end }}
{{- end }}

{{- /* The networks of proxies: those that values name, else with the ingress the private ones; "" where env or settings have them. */ -}}
{{- define "tollkeeper.trustedProxies" -}}
{{- $set := hasKey .Values.settings "TOLLKEEPER_TRUSTED_PROXIES" }}
{{- range .Values.env }}{{ if eq .name "TOLLKEEPER_TRUSTED_PROXIES" }}{{ $set = true }}{{ end }}{{ end }}
{{- if and $set .Values.trustedProxies }}{{ fail "trustedProxies: TOLLKEEPER_TRUSTED_PROXIES is set by settings or env too" }}{{ end }}
{{- if .Values.trustedProxies }}
{{- join "," .Values.trustedProxies }}
{{- else if and .Values.ingress.enabled (not $set) -}}
10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,fc00::/7
{{- end }}
{{- end }}

{{- define "tollkeeper.podAnnotations" -}}
{{- with include "tollkeeper.secret" . | trim }}
checksum/secret: {{ sha256sum . }} # another URL in values restarts the servers; one in a secret of yours does not
{{- end }}
{{- with .Values.podAnnotations }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "tollkeeper.volumes" -}}
- name: tmp
  emptyDir: {sizeLimit: {{ .Values.temporaryFiles.sizeLimit }}}
{{- with .Values.database.ca }}
{{- if .existingSecret }}
- {name: database-ca, secret: {secretName: {{ .existingSecret }}}}
{{- else if .existingConfigMap }}
- {name: database-ca, configMap: {name: {{ .existingConfigMap }}}}
{{- end }}
{{- end }}
{{- with .Values.tls.existingSecret }}
- {name: tls, secret: {secretName: {{ . }}}}
{{- end }}
{{- with .Values.fonts.volume }}
- name: fonts
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "tollkeeper.volumeMounts" -}}
- {name: tmp, mountPath: /tmp}
{{- if or .Values.database.ca.existingSecret .Values.database.ca.existingConfigMap }}
- {name: database-ca, mountPath: /etc/tollkeeper/database, readOnly: true}
{{- end }}
{{- if .Values.tls.existingSecret }}
- {name: tls, mountPath: /etc/tollkeeper/tls, readOnly: true}
{{- end }}
{{- if .Values.fonts.volume }}
- {name: fonts, mountPath: /etc/tollkeeper/fonts, readOnly: true}
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /* Settings that must not be among the plain ones, with what to set in their place. */ -}}
{{- define "tollkeeper.checkSettings" -}}
{{- $elsewhere := dict
  "TOLLKEEPER_DATABASE_URL" "database.url or database.existingSecret"
  "TOLLKEEPER_MIGRATE_URL" "database.migrateUrl or database.existingSecretMigrateKey"
  "TOLLKEEPER_REPLICA_URL" "database.replicaUrl or database.existingSecretReplicaKey"
  "TOLLKEEPER_API_KEY" "firstKey.existingSecret"
  "TOLLKEEPER_SMTP_URL" "mail.smtpUrl or mail.existingSecret"
  "TOLLKEEPER_MAIL_FROM" "mail.from"
  "TOLLKEEPER_TLS_CERT" "tls.existingSecret"
  "TOLLKEEPER_TLS_KEY" "tls.existingSecret"
  "TOLLKEEPER_FONT_DIR" "fonts.volume"
  "TOLLKEEPER_SHUTDOWN_DELAY" "shutdownDelaySeconds"
  "TOLLKEEPER_ADDR" "service.port"
  "TOLLKEEPER_ADMIN_ADDR" "service.port" }}
{{- range $name, $_ := .Values.settings }}
{{- with get $elsewhere $name }}
{{- fail (printf "settings.%s: set %s instead" $name .) }}
{{- end }}
{{- end }}
{{- end }}
