// svcd as its systemd unit runs it: as a user of its own, with the capability for the ports 80 and 443.
import { chownSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Machine } from './svcd.ts'

const isRoot = process.platform === 'linux' && process.getuid?.() === 0
/** A user that owns nothing on this machine. */
const user = 65_534

const asUser = ['setpriv', '--reuid', `${user}`, '--regid', `${user}`, '--clear-groups']
const withPorts = [...asUser, '--inh-caps=+net_bind_service', '--ambient-caps=+net_bind_service']
/** A user namespace in which no further ones may be made, as some systems have it. */
const withoutUserNamespaces = [
  ...['unshare', '--user', '--map-current-user', '--keep-caps', '--', 'sh', '-c'],
  ...['echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"', 'sh'],
  ...['setpriv', '--ambient-caps=-all', '--inh-caps=-all'],
]

async function newMachine(environment: Record<string, string> = {}): Promise<Machine> {
  const machine = await Machine.make({ SVCD_UNSANDBOXED_APPS: '0', SVCD_APP_OUTBOUND: 'off', ...environment })
  onTestFinished(() => machine.remove())
  chownSync(machine.dataDir, user, user)
  return machine
}

describe.runIf(isRoot)('as the user of the unit', () => {
  test('bubblewrap starts, although the unit gives svcd a capability', async () => {
    const machine = await newMachine()
    machine.prefix = withPorts
    const { code, stdout } = await machine.outcome('doctor')
    expect(stdout).toMatch(/^ok {4}server apps: process: bubblewrap/m)
    expect(code).toBe(0)
  })

  test('doctor fails where server apps cannot run, and shows what bubblewrap says', async () => {
    const machine = await newMachine()
    machine.prefix = [...asUser, ...withoutUserNamespaces]
    const { code, stdout } = await machine.outcome('doctor')
    expect(stdout).toMatch(/^FAIL {2}server apps: server apps cannot run: .*\(it says: bwrap: /m)
    expect(stdout).not.toContain('All well')
    expect(code).toBe(1)
  })
})
