// A machine on which nothing of svcd is installed, for tests of `svcd install`: its own /etc, /usr/local, /opt and /var/lib, its
// own network and processes, and a strict stand-in for systemctl that runs the unit as systemd would: its user, its
// capabilities, and ready when it says so.
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const needed = [
  'systemctl',
  'systemd-notify',
  'systemd-analyze',
  'unshare',
  'nsenter',
  'setpriv',
  'perl',
  'curl',
  'ip',
]
const isInstalled = (program: string): boolean =>
  ['/usr/bin', '/usr/sbin'].some(dir => existsSync(path.join(dir, program)))
export const hasBareMachines =
  process.platform === 'linux' && process.getuid?.() === 0 && needed.every(isInstalled)

/** Reads the options of the unit that matter, and refuses a unit that systemd would refuse. */
const systemctl = `#!/bin/sh
unit=/etc/systemd/system/svcd.service
sockets=/etc/systemd/system/svcd.socket
# Opens the sockets and becomes the service, which finds them as its files from 3 on.
listening='use Socket; use POSIX; $^F = 99; my $n = 3; my @all; for (split " ", $ENV{ADDRESSES}) { my ($host, $port) = /(.*):(\\d+)/; socket(my $s, AF_INET, SOCK_STREAM, 0); setsockopt($s, SOL_SOCKET, SO_REUSEADDR, 1); bind($s, sockaddr_in($port, inet_aton($host))) or die "bind $_: $!"; listen($s, 128); push @all, $s; POSIX::dup2(fileno($s), 50 + $n - 3); $n++ } close $_ for @all; POSIX::dup2(50 + $_ - 3, $_), POSIX::close(50 + $_ - 3) for 3 .. $n - 1; delete $ENV{ADDRESSES}; $ENV{LISTEN_FDS} = $n - 3; $ENV{LISTEN_PID} = $$; exec @ARGV'
# Takes what the service says: that it is ready, and which process it is from now on.
hearing='use Socket; socket(S, AF_UNIX, SOCK_DGRAM, 0); bind(S, sockaddr_un($ENV{NOTIFY_SOCKET})) or die; chmod 0777, $ENV{NOTIFY_SOCKET}; sub put { open(my $f, ">", "/run/svcd-test/$_[0]"); print $f $_[1] } put("hears", $$); while (defined recv(S, my $m, 4096, 0)) { put("pid", $1) if $m =~ /MAINPID=(\\d+)/; put("ready", 1) if $m =~ /READY=1/ }'
of() { sed -n "s/^$1=//p" $unit; }
runs() { [ -f /run/svcd-test/pid ] && kill -0 "$(cat /run/svcd-test/pid)" 2>/dev/null; }
stop() {
  runs && kill "$(cat /run/svcd-test/pid)" && while runs; do sleep 0.1; done
  [ -f /run/svcd-test/hears ] && kill "$(cat /run/svcd-test/hears)"
  cd /run/svcd-test && rm -f pid hears ready notify
}
echo "systemctl $*" >> /run/svcd-test/calls
case "$*" in
  daemon-reload) [ ! -f $unit ] || systemd-analyze verify $unit $sockets ;;
  'enable svcd.socket svcd.service') ;;
  'is-active --quiet svcd.service') runs ;;
  'is-active --quiet svcd.socket') [ -f /run/svcd-test/sockets ] ;;
  'stop svcd.socket svcd.service') rm -f /run/svcd-test/sockets; stop; true ;;
  'start svcd.socket') ! runs && sed -n 's/^ListenStream=//p' $sockets > /run/svcd-test/sockets ;;
  'disable --now svcd.socket svcd.service') rm -f /run/svcd-test/sockets; stop; true ;;
  'reload svcd') runs && [ "$(of ExecReload)" = '/bin/kill -HUP $MAINPID' ] && kill -HUP "$(cat /run/svcd-test/pid)" ;;
  'restart svcd.service')
    stop
    [ "$(of Sockets)" = svcd.socket ] && [ "$(of Type)" = notify ] && [ "$(of NotifyAccess)" = all ] || exit 1
    export NOTIFY_SOCKET=/run/svcd-test/notify
    setsid perl -e "$hearing" < /dev/null > /dev/null 2>&1 &
    while [ ! -s /run/svcd-test/hears ]; do sleep 0.05; done
    caps="$(of AmbientCapabilities | tr A-Z a-z | sed 's/^cap_/+/')"
    cd "$(of WorkingDirectory)"
    setsid env -i PATH=/usr/local/bin:/usr/bin:/bin NOTIFY_SOCKET=$NOTIFY_SOCKET NODE_EXTRA_CA_CERTS="$NODE_EXTRA_CA_CERTS" $(of Environment | tr '\\n' ' ') ADDRESSES="$(tr '\\n' ' ' < /run/svcd-test/sockets)" perl -e "$listening" setpriv --reuid "$(of User)" --regid "$(of Group)" --init-groups "--inh-caps=$caps" "--ambient-caps=$caps" $(of ExecStart) < /dev/null >> /run/svcd-test/log 2>&1 &
    echo $! > /run/svcd-test/pid
    while [ ! -s /run/svcd-test/ready ]; do runs || exit 1; sleep 0.05; done ;;
  *) echo "unknown: $*" >&2; exit 1 ;;
esac
`

/** Installs a package by writing its program. */
const aptGet = `#!/bin/sh
echo "apt-get $*" >> /run/svcd-test/calls
case "$*" in *install*nftables*) printf '#!/bin/sh\\necho nftables\\n' > /usr/local/bin/nft; chmod 755 /usr/local/bin/nft ;; esac
`

/** The folders that a machine has of its own, and what they are made of. */
const setUp = `
set -e
mount --make-rprivate /
mount --bind "$1/etc" /etc
mount --bind "$1/local" /usr/local
mount --bind "$1/opt" /opt
mount --bind "$1/backups" /var/backups
mkdir -p "$1/lib/new" "$1/lib/work"
mount -t overlay overlay -o "lowerdir=/var/lib,upperdir=$1/lib/new,workdir=$1/lib/work" /var/lib
mount -t tmpfs tmpfs /run
mkdir /run/svcd-test /run/netns && chmod 777 /run/svcd-test
# As on Debian: every user may open it, and the kernel checks what it does.
mount -t tmpfs tmpfs /dev/net
mknod -m 666 /dev/net/tun c 10 200
ip link set lo up
echo up
# Processes without a parent are its children, and must not stay as zombies.
exec perl -e '$SIG{CHLD} = "IGNORE"; 1 while sleep'
`

export interface Outcome {
  code: number
  stdout: string
  stderr: string
}

export class BareMachine {
  /** The folder of its files. */
  readonly dir: string
  readonly environment: Record<string, string> = {
    PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
  }
  #process: ChildProcess | undefined
  /** The process whose namespaces are the machine. */
  #inside = 0

  constructor() {
    this.dir = mkdtempSync(path.join(tmpdir(), 'svc-machine-'))
    chmodSync(this.dir, 0o755)
    execFileSync('cp', ['-a', '/etc', this.at('etc')])
    for (const name of ['local/bin', 'opt', 'backups', 'lib']) mkdirSync(this.at(name), { recursive: true })
    this.addProgram('systemctl', systemctl)
    this.addProgram('apt-get', aptGet)
  }

  at(...names: string[]): string {
    return path.join(this.dir, ...names)
  }

  addProgram(name: string, text: string): void {
    writeFileSync(this.at('local/bin', name), text, { mode: 0o755 })
  }

  async start(): Promise<void> {
    const apart = ['--mount', '--net', '--pid', '--fork', '--mount-proc', '--kill-child']
    this.#process = spawn('unshare', [...apart, 'sh', '-c', setUp, 'sh', this.dir], {
      env: this.environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(this.#process.stdout!, 'data')
    const { pid } = this.#process
    this.#inside = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim())
  }

  /** Runs a script of the shell on the machine. With `network`, in that one of its networks. */
  run(script: string, { network, cwd = '/' }: { network?: string; cwd?: string } = {}): Promise<Outcome> {
    const enter = ['--target', `${this.#inside}`, '--mount', '--net', '--pid']
    const into = network === undefined ? [] : ['nsenter', `--net=/run/netns/${network}`]
    const command = [...into, 'sh', '-c', `cd "$1"\n${script}`, 'sh', cwd]
    const options = { env: this.environment, maxBuffer: 1024 ** 3 }
    return new Promise(resolve =>
      execFile('nsenter', [...enter, '--', ...command], options, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      ),
    )
  }

  async remove(): Promise<void> {
    if (this.#process?.exitCode === null) {
      const ended = once(this.#process, 'close')
      this.#process.kill('SIGKILL')
      await ended
    }
    rmSync(this.dir, { recursive: true, force: true })
  }
}
