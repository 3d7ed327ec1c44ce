// svcd as its systemd unit runs it: as a user of its own, with the capability for the ports 80 and 443.
import { chownSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { canServeFromHere } from './checkout.ts'
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

describe.runIf(isRoot && canServeFromHere('the unit of systemd'))('as the user of the unit', () => {
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

  /** The files of the data directory that the user does not own. */
  const foreign = (dataDir: string): string[] =>
    ['.', ...(readdirSync(dataDir, { recursive: true }) as string[])].filter(
      name => statSync(path.join(dataDir, name)).uid !== user,
    )

  /** A platform that has run as the user. */
  async function usedMachine(): Promise<Machine> {
    const machine = await newMachine()
    machine.prefix = withPorts
    const svcd = await machine.start()
    expect(await svcd.stop()).toBe(0)
    machine.prefix = []
    return machine
  }

  test('commands of root leave no files that the service cannot read, and write what they are told to as root', async () => {
    const machine = await usedMachine()
    const place = mkdtempSync(path.join(tmpdir(), 'svc-root-only-'))
    onTestFinished(() => rmSync(place, { recursive: true }))
    const file = path.join(place, 'platform.tar')
    for (const args of [
      ['users', 'create', 'ada'],
      ['keys', 'rotate'],
      ['migrate'],
      ['doctor'],
      ['backup', file],
    ]) {
      const { code, stderr, stdout } = await machine.outcome(...args)
      expect([args[0], code, code === 0 ? '' : stdout + stderr]).toEqual([args[0], 0, ''])
    }
    expect(foreign(machine.dataDir)).toEqual([])
    expect(statSync(file)).toMatchObject({ uid: 0 })

    const restored = await newMachine()
    expect((await restored.outcome('restore', file)).code).toBe(0)
    expect(foreign(restored.dataDir)).toEqual([])
    restored.prefix = withPorts
    const svcd = await restored.start()
    expect(await svcd.stop()).toBe(0)
  })

  test('a start by root on the directory of another user is refused', async () => {
    const machine = await usedMachine()
    const { code, stderr } = await machine.outcome('start')
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^svcd: \S+ belongs to the user 65534.* systemctl start svcd/),
    ])
    expect(foreign(machine.dataDir)).toEqual([])
  })

  test.each(['secret.key', 'keys.lock', 'svc.db', 'packs'])(
    'a start names %s if it cannot be read',
    async name => {
      const machine = await usedMachine()
      const file = path.join(machine.dataDir, name)
      chownSync(file, 0, 0)
      machine.prefix = asUser
      const { code, stderr } = await machine.outcome('start')
      expect(code).toBe(1)
      expect(stderr.split('\n')).toEqual([expect.stringContaining(`${file} cannot be read and written`)])
      expect(stderr).toContain('It belongs to root. Run as root: chown -R')
    },
  )
})
