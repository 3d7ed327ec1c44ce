// `svcd install` on a machine of its own: copies of /etc and /usr/local/bin, a network namespace, and a strict stand-in for
// systemctl that runs the unit as systemd would: its user, its capabilities, and ready when it says so.
import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'

const svcd = fileURLToPath(new URL('../../packages/server/bin/svcd.js', import.meta.url))

const needed = ['systemctl', 'systemd-notify', 'systemd-analyze', 'unshare', 'setpriv', 'perl', 'curl']
const isInstalled = (program: string): boolean =>
  ['/usr/bin', '/usr/sbin'].some(dir => existsSync(path.join(dir, program)))
const isPossible = process.platform === 'linux' && process.getuid?.() === 0 && needed.every(isInstalled)

/** Reads the options of the unit that matter, and refuses a unit that systemd would refuse. */
const systemctl = `#!/bin/sh
unit=/etc/systemd/system/svcd.service
sockets=/etc/systemd/system/svcd.socket
# Opens the sockets and becomes the service, which finds them as its files from 3 on.
listening='use Socket; use POSIX; $^F = 99; my $n = 3; my @all; for (split " ", $ENV{ADDRESSES}) { /(.*):(\\d+)/; socket(my $s, AF_INET, SOCK_STREAM, 0); setsockopt($s, SOL_SOCKET, SO_REUSEADDR, 1); bind($s, sockaddr_in($2, inet_aton($1))) or die "bind $_: $!"; listen($s, 128); push @all, $s; POSIX::dup2(fileno($s), 50 + $n - 3); $n++ } close $_ for @all; POSIX::dup2(50 + $_ - 3, $_), POSIX::close(50 + $_ - 3) for 3 .. $n - 1; delete $ENV{ADDRESSES}; $ENV{LISTEN_FDS} = $n - 3; $ENV{LISTEN_PID} = $$; exec @ARGV'
of() { sed -n "s/^$1=//p" $unit; }
stop() { [ -f /run/svcd-test/pid ] && kill "$(cat /run/svcd-test/pid)" 2>/dev/null && while kill -0 "$(cat /run/svcd-test/pid)" 2>/dev/null; do sleep 0.1; done; rm -f /run/svcd-test/pid; }
echo "systemctl $*" >> /run/svcd-test/calls
case "$*" in
  daemon-reload) [ ! -f $unit ] || systemd-analyze verify $unit $sockets ;;
  'enable svcd.socket svcd.service') ;;
  'is-active --quiet svcd.service') [ -f /run/svcd-test/pid ] && kill -0 "$(cat /run/svcd-test/pid)" 2>/dev/null ;;
  'is-active --quiet svcd.socket') [ -f /run/svcd-test/sockets ] ;;
  'stop svcd.socket svcd.service') rm -f /run/svcd-test/sockets; stop; true ;;
  'start svcd.socket') [ ! -f /run/svcd-test/pid ] && sed -n 's/^ListenStream=//p' $sockets > /run/svcd-test/sockets ;;
  'disable --now svcd.socket svcd.service') rm -f /run/svcd-test/sockets; stop; true ;;
  'restart svcd.service')
    stop
    [ "$(of Sockets)" = svcd.socket ] && [ "$(of Type)" = notify ] && [ "$(of NotifyAccess)" = all ] || exit 1
    export NOTIFY_SOCKET=/run/svcd-test/notify
    rm -f $NOTIFY_SOCKET
    perl -MSocket -e 'socket(S, AF_UNIX, SOCK_DGRAM, 0); bind(S, sockaddr_un($ENV{NOTIFY_SOCKET})) or die; chmod 0777, $ENV{NOTIFY_SOCKET}; print "\\n"; close STDOUT; alarm 120; while (defined recv(S, my $m, 4096, 0)) { exit 0 if $m =~ /READY=1/ } exit 1' > /run/svcd-test/listening &
    waiting=$!
    while [ ! -s /run/svcd-test/listening ]; do sleep 0.05; done
    caps="$(of AmbientCapabilities | tr A-Z a-z | sed 's/^cap_/+/')"
    cd "$(of WorkingDirectory)"
    env -i PATH=/usr/bin:/bin NOTIFY_SOCKET=$NOTIFY_SOCKET $(of Environment | tr '\\n' ' ') ADDRESSES="$(tr '\\n' ' ' < /run/svcd-test/sockets)" perl -e "$listening" setpriv --reuid "$(of User)" --regid "$(of Group)" --init-groups "--inh-caps=$caps" "--ambient-caps=$caps" $(of ExecStart) >> /run/svcd-test/log 2>&1 &
    echo $! > /run/svcd-test/pid
    wait $waiting ;;
  *) echo "unknown: $*" >&2; exit 1 ;;
esac
`

/** Installs a package by writing its program. */
const aptGet = `#!/bin/sh
echo "apt-get $*" >> /run/svcd-test/calls
case "$*" in *install*nftables*) printf '#!/bin/sh\\necho nftables\\n' > /usr/local/bin/nft; chmod 755 /usr/local/bin/nft ;; esac
`

/** Enters the machine and runs the script there. */
const machine = `
set -e
mount --make-rprivate /
mount --bind "$1/etc" /etc
mount --bind "$1/bin" /usr/local/bin
mount -t tmpfs tmpfs /run
mkdir /run/svcd-test && chmod 777 /run/svcd-test
ip link set lo up 2>/dev/null || true
trap '[ -f /run/svcd-test/pid ] && kill "$(cat /run/svcd-test/pid)"' EXIT
. "$1/script"
`

interface Outcome {
  code: number
  stdout: string
  stderr: string
}

describe.runIf(isPossible)('svcd install', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'svc-install-'))
  chmodSync(dir, 0o755)
  const dataDir = path.join(dir, 'platform')
  execFileSync('cp', ['-a', '/etc', path.join(dir, 'etc')])
  mkdirSync(path.join(dir, 'bin'))
  writeFileSync(path.join(dir, 'bin/systemctl'), systemctl, { mode: 0o755 })
  writeFileSync(path.join(dir, 'bin/apt-get'), aptGet, { mode: 0o755 })
  writeFileSync(path.join(dir, 'bin/svcd'), `#!/bin/sh\nexec ${process.execPath} ${svcd} "$@"\n`, {
    mode: 0o755,
  })
  afterAll(() => rmSync(dir, { recursive: true, force: true }))

  function on(script: string): Promise<Outcome> {
    writeFileSync(path.join(dir, 'script'), script)
    const args = [
      '--mount',
      '--net',
      '--pid',
      '--fork',
      '--mount-proc',
      '--kill-child',
      'sh',
      '-c',
      machine,
      'sh',
      dir,
    ]
    const env = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' }
    return new Promise(resolve =>
      execFile('unshare', args, { env, maxBuffer: 1024 ** 3 }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      ),
    )
  }

  const installed = `svcd install --domain example.test --email ops@example.test --data-dir ${dataDir}`

  test('makes a running platform of a bare machine, and every command finds it from any directory', async () => {
    const { code, stdout, stderr } = await on(`
      ${installed} || { cat /run/svcd-test/log; exit 1; }
      stat -c '%a %U' /etc/svcd.env ${dataDir}
      cat /run/svcd-test/calls
      cd /
      svcd users create ada
      svcd users list
      svcd keys rotate
      find ${dataDir} ! -user svcd
      echo again
      echo SVCD_SIGNUPS=closed >> /etc/svcd.env
      svcd install
      tail -n 2 /run/svcd-test/calls
      ! grep 'in no setting' /run/svcd-test/log
      svcd config | grep -E 'SIGNUPS|PORT=|DOMAIN='
      curl -s -o /dev/null -w '%{http_code}\\n' http://127.0.0.1/health
      echo gone
      svcd uninstall
      ls /etc/systemd/system/svcd.service /etc/systemd/system/svcd.socket ${dataDir}/svc.db /etc/svcd.env 2>&1 || true
    `)
    expect([code, code === 0 ? '' : stdout + stderr]).toEqual([0, ''])
    expect(stdout).toMatch(
      /Create the first account here \(works once\): https:\/\/app\.example\.test\/setup#token=[\w-]{43}\n/,
    )
    expect(stdout).toContain('600 svcd\n700 svcd\n')
    expect(stdout).toContain(
      'systemctl enable svcd.socket svcd.service\nsystemctl stop svcd.socket svcd.service\nsystemctl start svcd.socket\nsystemctl restart svcd.service\n',
    )
    expect(stderr).toContain('example.test is not in the DNS')
    expect(stderr).toContain('HTTPS: app.example.test has no certificate, because it is not in the DNS yet.')
    expect(stderr).toContain(
      `svcd: example.test, with the settings of /etc/svcd.env and its data in ${dataDir}\n`,
    )
    expect(stdout).toMatch(/ {2}ada {2}- {2}admin\n/)
    const [, again = ''] = stdout.split('again\n')
    expect(again).toContain('svcd runs: https://app.example.test\n')
    expect(again).toContain('systemctl enable svcd.socket svcd.service\nsystemctl restart svcd.service\n')
    expect(again).toContain('SVCD_SIGNUPS=closed\n')
    expect(again).toContain('SVCD_TLS_PORT=443\n')
    const [, gone = ''] = again.split('gone\n')
    expect(gone).toContain('with all sites and accounts')
    expect(gone).toContain(`${dataDir}/svc.db\n`)
    expect(gone).toMatch(/cannot access .*svcd\.service/)
    expect(gone).toMatch(/cannot access .*svcd\.socket/)
  })

  test('changes nothing if a port is in use, an answer is missing, or a value is wrong', async () => {
    const { stdout, stderr } = await on(`
      rm -rf /etc/svcd.env /etc/systemd/system/svcd.service
      svcd install || echo first $?
      svcd install --domain 'not a domain' --email x@example.test || echo second $?
      ${process.execPath} -e "require('node:net').createServer().listen(80, () => require('node:fs').writeFileSync('/run/svcd-test/up', ''))" &
      while [ ! -f /run/svcd-test/up ]; do sleep 0.1; done
      ${installed} || echo third $?
      kill $!
      ls /etc/svcd.env /etc/systemd/system/svcd.service 2>&1
    `)
    expect(stdout).toMatch(/^first 1\nsecond 1\nthird 1\nls: cannot access '\/etc\/svcd\.env'/)
    expect(stderr).toContain('svcd: --domain is missing. Domain of the platform, such as example.com.\n')
    expect(stderr).toMatch(/svcd: SVCD_PLATFORM_DOMAIN /)
    expect(stderr).toContain('svcd: Port 80 is in use by another program')
    expect(stderr).not.toMatch(/\n {4}at /)
  })
})
