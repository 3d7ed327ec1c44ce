// What the AI gateway adds to a request to the AI provider behind it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { freePort } from '../children.mjs'
import { onCore, serverCore } from '../load.mjs'
import { interleave, median } from '../statistics.mjs'
import { startSvc } from '../svc.mjs'

/** How long the provider thinks. Real ones take longer; the shorter, the more the gateway shows. */
const thinkMs = 20
const connections = 8
const requests = 200

/** Answers after `think` milliseconds, or streams: a first event then, and nineteen more. */
const provider = `
const event = JSON.stringify({ choices: [{ delta: { content: 'word' } }] })
const usage = { prompt_tokens: 9, completion_tokens: 20 }
require('node:http').createServer((req, res) => {
  let body = ''
  req.on('data', chunk => { body += chunk }).on('end', () => {
    const { stream, think } = JSON.parse(body)
    setTimeout(() => {
      res.setHeader('content-type', stream ? 'text/event-stream' : 'application/json')
      if (!stream) return res.end(JSON.stringify({ choices: [{ message: { content: 'x'.repeat(2000) } }], usage }))
      let left = 20
      const timer = setInterval(() => {
        res.write('data: ' + event + '\\n\\n')
        if (--left > 0) return
        clearInterval(timer)
        res.end('data: ' + JSON.stringify({ choices: [], usage }) + '\\n\\ndata: [DONE]\\n\\n')
      }, 2)
    }, think)
  })
}).listen(process.env.PORT, '127.0.0.1')
`

const subjects = [
  { what: `AI answer after ${thinkMs} ms, p50`, body: { think: thinkMs }, atMost: 1.3 },
  { what: `AI stream, first event, p50`, body: { think: thinkMs, stream: true }, first: true, atMost: 1.3 },
  { what: 'AI stream, whole, p50', body: { think: thinkMs, stream: true }, atMost: 1.3 },
  { what: 'AI answer without thinking, p50', body: { think: 0 } },
]

export async function measure() {
  const direct = await startProvider()
  const svc = await startSvc({
    oneCore: true,
    settings: {
      SVCD_AI_UPSTREAM: `http://127.0.0.1:${direct.port}/v1`,
      SVCD_AI_TOKEN_RPM: '10000000',
      SVCD_AI_OWNER_RPM: '10000000',
    },
  })
  try {
    const { token } = await svc.api('POST', '/tokens', { kind: 'ai' })
    const port = Number(new URL(svc.url).port)
    const through = { port, headers: { host: 'ai.localhost', authorization: `Bearer ${token}` } }
    const rows = []
    for (const { what, body, first, atMost } of subjects) {
      const asked = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }], ...body }
      const times = await interleave(5, {
        svc: () => ask(through, asked, first),
        direct: () => ask({ port: direct.port, headers: {} }, asked, first),
      })
      rows.push({
        what,
        unit: 'ms',
        svc: times.svc,
        other: 'the provider directly',
        value: times.direct,
        atMost,
      })
    }
    return rows
  } finally {
    await svc.stop()
    await direct.stop()
  }
}

async function startProvider() {
  const port = await freePort()
  const [command, ...args] = [...onCore(serverCore), process.execPath, '-e', provider]
  const child = spawn(command, args, { stdio: 'ignore', env: { ...process.env, PORT: String(port) } })
  const answers = () => once(request({ port, host: '127.0.0.1', method: 'POST' }).end('{}'), 'response')
  while (!(await answers().catch(() => undefined))) await new Promise(resolve => setTimeout(resolve, 50))
  const stop = async () => {
    const ended = once(child, 'exit')
    child.kill()
    await ended
  }
  return { port, stop }
}

/** The median time in milliseconds until the answer is whole, or until its first byte. */
async function ask({ port, headers }, body, untilFirst = false) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const text = JSON.stringify(body)
  const times = []
  let left = requests
  const client = async () => {
    while (left-- > 0) times.push(await askOnce())
  }
  const askOnce = () =>
    new Promise((resolve, reject) => {
      const began = performance.now()
      const options = { host: '127.0.0.1', port, method: 'POST', path: '/v1/chat/completions', agent }
      const fields = { ...headers, 'content-type': 'application/json', 'content-length': text.length }
      const req = request({ ...options, headers: fields }, res => {
        let firstByte
        if (res.statusCode !== 200) reject(new Error(`the AI gateway answered ${res.statusCode}`))
        res.on('data', () => {
          firstByte ??= performance.now() - began
        })
        res.on('end', () => resolve(untilFirst ? firstByte : performance.now() - began))
      })
      req.on('error', reject).end(text)
    })
  await Promise.all(Array.from({ length: connections }, client))
  agent.destroy()
  return median(times)
}
