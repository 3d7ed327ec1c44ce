// Traffic by the real tool against a real platform: nothing that was answered is lost when the platform stops.
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { Shell } from './shell.ts'
import { Machine, type Svcd } from './svcd.ts'
import { visit } from './visit.ts'

let svcd: Svcd | undefined
afterEach(() => svcd?.stop())

it.each(['0', '2'])(
  'the stats include every answer up to the end, with %s more edge processes',
  async workers => {
    const machine = await Machine.make({ SVCD_EDGE_WORKERS: workers })
    onTestFinished(() => machine.remove())
    svcd = await machine.start()
    const token = await machine.token('ada')
    const openShell = () => {
      const shell = new Shell({ SVC_API_URL: `http://127.0.0.1:${svcd!.port}`, SVC_TOKEN: token })
      onTestFinished(() => shell.remove())
      return shell
    }
    const terminal = openShell()
    terminal.write({ 'dist/index.html': 'counted' })
    await terminal.svc('init', 'counted')
    expect(await terminal.svc('deploy', 'dist')).toMatchObject({ code: 0 })
    expect(await terminal.svc('stats')).toMatchObject({
      stdout: 'No requests to counted in the last 24 hours.\n',
    })

    const address = `http://counted.localhost:${svcd.port}`
    for (let i = 0; i < 10; i++) expect((await visit(address)).status).toBe(200)
    expect((await visit(address, '/missing')).status).toBe(404)
    await svcd.stop()
    svcd = await machine.start()

    const again = openShell()
    const { stdout } = await again.svc('stats', '--project', 'counted')
    expect(stdout).toMatch(/^Requests {3}11 \(\d+% from cache\)\n/)
    expect(stdout).toContain('Errors     1 (4xx 1, 5xx 0)\n')
    expect(stdout).toMatch(/^\/ +10 /m)
    const json = JSON.parse((await again.svc('stats', '--project', 'counted', '--json')).stdout)
    expect(json.totals.requests).toBe(11)
    expect(json.timeline).toHaveLength(24)
  },
)
