{{- define "finmeter.selector" -}}
app.kubernetes.io/name: finmeter
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "finmeter.labels" -}}
{{ include "finmeter.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "finmeter.container" -}}
image: {{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
env:
  - { name: NODE_ENV, value: production }
  - { name: PUBLIC_URL, value: {{ .Values.publicUrl | quote }} }
  - { name: TRUST_PROXY, value: {{ .Values.trustProxy | quote }} }
  - { name: HOST, value: 0.0.0.0 }
  - { name: PORT, value: "3000" }
  - { name: METRICS_HOST, value: 0.0.0.0 }
  - { name: METRICS_PORT, value: {{ .Values.metrics.port | quote }} }
  - { name: FINMETER_DATA_DIR, value: /data }
  # The migration job has already run.
  - { name: MIGRATE, value: "off" }
  # Long enough for every node to stop sending requests to a pod that is stopping.
  - { name: DRAIN_SECONDS, value: "8" }
  - { name: SHUTDOWN_SECONDS, value: "35" }
{{- range $name, $value := .Values.settings }}
  - { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
envFrom:
{{- range .Values.secrets }}
  - secretRef: { name: {{ . }} }
{{- end }}
{{- end }}

{{- define "finmeter.pod" -}}
automountServiceAccountToken: false
imagePullSecrets: {{ .Values.image.pullSecrets | toJson }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65534
  runAsGroup: 65534
  fsGroup: 65534
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
nodeSelector: {{ .Values.nodeSelector | toJson }}
tolerations: {{ .Values.tolerations | toJson }}
{{- end }}
