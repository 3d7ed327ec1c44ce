// `svcd install` on a machine of its own.
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BareMachine, hasBareMachines } from './bare-machine.ts'
import { canServeFromHere } from './checkout.ts'

const svcd = fileURLToPath(new URL('../../packages/server/bin/svcd.js', import.meta.url))

const script = fileURLToPath(new URL('../../deploy/install.sh', import.meta.url))

describe.runIf(hasBareMachines && canServeFromHere('svcd install'))('svcd install', () => {
  const machine = new BareMachine()
  machine.addProgram('svcd', `#!/bin/sh\nexec ${process.execPath} ${svcd} "$@"\n`)
  const dataDir = '/var/lib/platform'
  beforeAll(() => machine.start())
  afterAll(() => machine.remove())
  const on = (script: string) => machine.run(script)

  const installed = `svcd install --domain example.test --email ops@example.test --data-dir ${dataDir}`

  test('makes a running platform of a bare machine, and every command finds it from any directory', async () => {
    const { code, stdout, stderr } = await on(`set -e
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
      grep 'in no setting' /run/svcd-test/log && exit 1
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

  test('changes nothing if a port is in use, an answer is missing, a value is wrong, or the data directory is of another user', async () => {
    const { stdout, stderr } = await on(`
      rm -rf /etc/svcd.env /etc/systemd/system/svcd.service
      svcd install || echo first $?
      svcd install --domain 'not a domain' --email x@example.test || echo second $?
      ${process.execPath} -e "require('node:net').createServer().listen(80, () => require('node:fs').writeFileSync('/run/svcd-test/up', ''))" &
      while [ ! -f /run/svcd-test/up ]; do sleep 0.1; done
      ${installed} || echo third $?
      kill $!
      svcd install --domain example.test --email ops@example.test --data-dir /etc || echo fourth $?
      stat -c %U /etc
      ls /etc/svcd.env /etc/systemd/system/svcd.service 2>&1
    `)
    expect(stdout).toMatch(
      /^first 1\nsecond 1\nthird 1\nfourth 1\nroot\nls: cannot access '\/etc\/svcd\.env'/,
    )
    expect(stderr).toContain('svcd: --domain is missing. Domain of the platform, such as example.com.\n')
    expect(stderr).toMatch(/svcd: SVCD_PLATFORM_DOMAIN /)
    expect(stderr).toContain('svcd: Port 80 is in use by another program')
    expect(stderr).toContain('svcd: /etc is not empty, and belongs to another user than svcd.')
    expect(stderr).not.toMatch(/\n {4}at /)
  })

  test('install.sh refuses a package without its checksum, unless it is told otherwise, and touches nothing before', async () => {
    const { stdout, stderr } = await on(`
      rm -rf /opt/svcd
      cp ${script} /opt/install.sh && cd /opt
      echo damaged > svcd-1.0.0.tgz
      again() { sh install.sh svcd-1.0.0.tgz "$@" || echo "$1 ended with $?"; }
      again none
      again --without-checksum
      echo "$(printf other | sha256sum | cut -d' ' -f1)  svcd-2.0.0.tgz" > SHA256SUMS
      again other
      echo "$(printf other | sha256sum | cut -d' ' -f1)  svcd-1.0.0.tgz" > SHA256SUMS
      again wrong
      sha256sum svcd-1.0.0.tgz > SHA256SUMS
      again right
      ls /opt
    `)
    expect(stdout).toContain(
      'none ended with 1\n--without-checksum ended with 1\nother ended with 1\nwrong ended with 1\nright ended with 1\n',
    )
    expect(stderr.split('\n').filter(line => line.startsWith('install.sh: '))).toEqual([
      expect.stringMatching(
        /^install\.sh: there is no SHA256SUMS beside svcd-1\.0\.0\.tgz.* add --without-checksum$/,
      ),
      'install.sh: svcd-1.0.0.tgz is no release of svcd',
      'install.sh: SHA256SUMS has no line for svcd-1.0.0.tgz: download both again',
      'install.sh: svcd-1.0.0.tgz is not what SHA256SUMS says: download both again',
      'install.sh: svcd-1.0.0.tgz is no release of svcd',
    ])
    expect(stdout).not.toMatch(/^svcd$/m)
  })
})
