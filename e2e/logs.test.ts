// The log of a real app, followed by the real tool while the app falls asleep and wakes.
import { createClient } from '@svc/contract/client'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { Shell } from './shell.ts'
import { Machine, type Svcd } from './svcd.ts'
import { visit } from './visit.ts'

let machine: Machine
let svcd: Svcd
beforeAll(async () => {
  machine = await Machine.make({ SVCD_IDLE_SECONDS: '2' })
  svcd = await machine.start()
})
afterAll(async () => {
  await svcd?.stop()
  await machine?.remove()
})

const talkative = `
console.log('up')
process.on('SIGTERM', () => { console.log('bye'); process.exit(0) })
require('node:http').createServer((req, res) => {
  if (req.url !== '/') console.log('asked for ' + req.url)
  res.end('hello')
}).listen(process.env.PORT, process.env.HOSTNAME)
`

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise(resolve => setTimeout(resolve, 50))
}

it('svc logs -f shows every line once, through sleep and cold start, and ends on Ctrl-C', async () => {
  const token = await machine.token('ada')
  const apiUrl = `http://127.0.0.1:${svcd.port}`
  const shell = new Shell({ SVC_API_URL: apiUrl, SVC_TOKEN: token })
  onTestFinished(() => shell.remove())
  shell.write({ Procfile: 'web: node app.cjs\n', 'app.cjs': talkative })
  await shell.svc('init', 'talk')
  const deployed = await shell.svc('deploy')
  expect(deployed.code).toBe(0)
  const url = /http:\/\/\S+/.exec(deployed.stdout)?.[0] ?? ''
  const call = createClient({ baseUrl: apiUrl, token })
  const log = () => call('GET /projects/:name/logs', { params: { name: 'talk' }, query: { tail: '5000' } })

  const { child, ended } = shell.start('logs', '-f')
  const shown = { stdout: '', stderr: '' }
  child.stdout?.on('data', text => (shown.stdout += text))
  child.stderr?.on('data', text => (shown.stderr += text))
  for (const round of [1, 2, 3]) {
    expect((await visit(url, `/${round}`)).body.toString()).toBe('hello')
    await until(async () => (await log()).state === 'stopped')
  }
  // Nobody visits the app any more, so this line is its last one.
  await until(async () => (await log()).logs.endsWith('without a request.\n'))
  const all = (await log()).logs
  // The tool asks once a second. It may have seen all lines while the app still ran, and none of the earlier stops.
  await until(() => shown.stdout.length >= all.length && shown.stderr !== '')
  child.kill('SIGINT')
  const { code, stdout, stderr } = await ended
  expect({ code, stdout }).toEqual({ code: 0, stdout: all })
  expect(all.match(/^asked for .*$/gm)).toEqual(['asked for /1', 'asked for /2', 'asked for /3'])
  const ofApp = all.replace(/^svc: .*\n/gm, '')
  expect(ofApp).toMatch(/^(up\n(asked for \/\d\n)*bye\n){3,}$/)
  expect(all.match(/^svc: .*$/gm)?.slice(0, 2)).toEqual([
    expect.stringMatching(/^svc: The app started in \d+\.\d s \(dep_\w+\)\.$/),
    'svc: The app was stopped after 2 s without a request.',
  ])
  expect(stderr).toMatch(/^(The app stopped at .* UTC; the next request starts it\.\n)+$/)
})
