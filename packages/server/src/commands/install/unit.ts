// The systemd units of svcd: the service, and the sockets that systemd keeps open while the service restarts.

export const unitFile = '/etc/systemd/system/svcd.service'
export const unitName = 'svcd.service'
export const socketFile = '/etc/systemd/system/svcd.socket'
export const socketName = 'svcd.socket'

interface SocketFacts {
  host: string
  port: number
  tlsPort: number | undefined
}

/** Connections wait in these sockets until svcd takes them. */
export const socketUnitOf = ({ host, port, tlsPort }: SocketFacts): string => `# Written by 'svcd install'.
[Unit]
Description=the sockets of svcd

[Socket]
${[port, tlsPort].flatMap(it => (it ? [`ListenStream=${host.includes(':') ? `[${host}]` : host}:${it}`] : [])).join('\n')}
Backlog=4096

[Install]
WantedBy=sockets.target
`

interface UnitFacts {
  user: string
  dataDir: string
  configFile: string
  /** The program and its arguments. */
  command: readonly string[]
}

/**
 * Apps and builds make namespaces, mounts and cgroups for their sandboxes, so options that forbid these are left out:
 * RestrictNamespaces, PrivateDevices, ProtectKernelTunables, ProtectControlGroups, ProtectProc, SystemCallFilter.
 */
export const unitOf = ({
  user,
  dataDir,
  configFile,
  command,
}: UnitFacts): string => `# Written by 'svcd install'.
[Unit]
Description=svcd, the deploy platform
After=network-online.target nss-lookup.target time-sync.target svcd.socket
Wants=network-online.target svcd.socket

[Service]
Type=notify
NotifyAccess=all
User=${user}
Group=${user}
Environment=SVCD_CONFIG=${configFile}
Environment=MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072
Sockets=svcd.socket
ExecStart=${command.map(quoted).join(' ')}
ExecReload=/bin/kill -HUP $MAINPID
Restart=always
RestartSec=2
TimeoutStartSec=300
TimeoutStopSec=30
KillMode=mixed
LimitNOFILE=1048576
Delegate=yes
WorkingDirectory=${dataDir}
UMask=0077
AmbientCapabilities=CAP_NET_BIND_SERVICE
CapabilityBoundingSet=CAP_NET_BIND_SERVICE
ReadWritePaths=${dataDir}
ProtectSystem=full
ProtectHome=read-only
ProtectClock=yes
ProtectHostname=yes
ProtectKernelModules=yes
RestrictRealtime=yes
LockPersonality=yes

[Install]
WantedBy=multi-user.target
`

/** Systemd reads % as a specifier and \\ as an escape. */
const quoted = (word: string): string => {
  const escaped = word.replaceAll('%', '%%')
  return /^[\w@%+=:,./-]+$/.test(word) ? escaped : `"${escaped.replace(/["\\]/g, '\\$&')}"`
}
