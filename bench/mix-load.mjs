// Load of the mixed site: wrk for HTTP/1.1, h2load for HTTP/2.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findTool } from '../scripts/tools.mjs'
import { latency, loadCore, onCore } from './load.mjs'
import { browserHeaders } from './mixed-site.mjs'
import { cpuSecondsOf } from './processes.mjs'
import { quantile } from './statistics.mjs'

const script = fileURLToPath(new URL('./mix.lua', import.meta.url))
const run = promisify(execFile)

/**
 * `requests` is the file of lines that `mix.lua` reads; one of `known` requests has an ETag (0: none). Requests per second and per
 * second of processor time, latencies in milliseconds.
 */
export async function loadMix(server, url, { host, requests, known, connections = 64, seconds = 3 }) {
  const headers = { Host: host, ...browserHeaders }
  const flags = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const shape = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '-s', script]
  const [program, ...prefix] = onCore(loadCore)
  const env = { ...process.env, BENCH_REQUESTS: requests, BENCH_KNOWN: String(known) }
  const before = cpuOf(server)
  const { stdout } = await run(program, [...prefix, findTool('wrk'), ...shape, ...flags, url], { env })
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${url} did not answer well:\n${stdout}`)
  return {
    perSecond: Number(/Requests\/sec:\s*([\d.]+)/.exec(stdout)[1]),
    perCpuSecond: Number(/(\d+) requests in/.exec(stdout)[1]) / (cpuOf(server) - before),
    p50: latency(stdout, 50),
    p99: latency(stdout, 99),
  }
}

/** By TLS and HTTP/2: eight connections with ten requests each under way. `uris` is a file of addresses. */
export async function loadHttp2Mix(server, { uris, seconds = 3 }) {
  const headers = Object.entries(browserHeaders).filter(([name]) => name !== 'Connection')
  const flags = headers.flatMap(([name, value]) => ['-H', `${name.toLowerCase()}: ${value}`])
  const shape = ['-t1', '-c8', '-m10', `-D${seconds}`, '-i', uris, `--connect-to=127.0.0.1:${server.tlsPort}`]
  const [program, ...prefix] = onCore(loadCore)
  const before = cpuOf(server)
  const { stdout } = await run(program, [...prefix, findTool('nghttp2-client'), ...shape, ...flags])
  const [, succeeded, failed] = /(\d+) succeeded, (\d+) failed/.exec(stdout)
  const answered = Number(/status codes: (\d+) 2xx/.exec(stdout)[1])
  if (failed !== '0' || answered < Number(succeeded)) throw new Error(`It did not answer well:\n${stdout}`)
  return {
    perSecond: Number(/, ([\d.]+) req\/s/.exec(stdout)[1]),
    perCpuSecond: Number(succeeded) / (cpuOf(server) - before),
  }
}

/**
 * Visitors by TLS and HTTP/2, each with a connection and ten requests under way. A quarter of them have every file already (304). Returns
 * the processor time of a request in microseconds. What the handshakes take is measured on its own, and does not count.
 */
export async function loadVisitors(server, { uris, connections, requests }) {
  const load = async count => {
    const before = cpuOf(server)
    const known = ['-H', 'if-none-match: *']
    await Promise.all([
      runHttp2(server, uris, [`-c${(connections * 3) / 4}`, '-m10', `-n${(count * 3) / 4}`]),
      runHttp2(server, uris, [`-c${connections / 4}`, '-m10', `-n${count / 4}`, ...known]),
    ])
    return cpuOf(server) - before
  }
  const all = await load(requests)
  const handshakes = await load(connections)
  return ((all - handshakes) / (requests - connections)) * 1e6
}

/**
 * Times of the answers to visitors on so many connections, in milliseconds. `known` is the share of them that have every file already (304).
 * With `perSecond` they ask for so much, otherwise without a pause. They send the headers of browsers, `without` some.
 */
export async function timesOf({
  dir,
  uris,
  port,
  shape,
  connections,
  known,
  without,
  perSecond,
  seconds = 3,
}) {
  const groups = [
    { count: Math.round(connections * (1 - known)), more: [] },
    { count: Math.round(connections * known), more: ['-H', 'if-none-match: *'] },
  ]
  const times = await Promise.all(
    groups.map(async ({ count, more }, i) => {
      if (count === 0) return []
      const log = join(dir, `times-${i}`)
      const rate = perSecond === undefined ? [] : [`--rps=${(perSecond / connections).toFixed(1)}`]
      const load = [`-c${count}`, `-D${seconds}`, `--log-file=${log}`, ...rate, ...shape, ...more]
      await runHttp2({ tlsPort: port }, uris, load, without)
      return timesIn(readFileSync(log, 'utf8'))
    }),
  )
  const all = times.flat()
  return {
    perSecond: all.length / seconds,
    p50: quantile(all, 0.5),
    p99: quantile(all, 0.99),
    worst: quantile(all, 1),
  }
}

/** Of the lines that h2load writes: when the request began, its status, and how long it took, in microseconds. */
function timesIn(log) {
  const lines = log.split('\n').filter(Boolean)
  return lines.map(line => {
    const [, status, took] = line.split('\t').map(Number)
    if (status !== 200 && status !== 304) throw new Error(`It answered with ${status}.`)
    return took / 1_000
  })
}

/** Visitors that never stop asking, by TLS and HTTP/2, until their time is over. */
export const keepBusy = (server, { uris, connections, seconds }) =>
  runHttp2(server, uris, [`-c${connections}`, '-m4', `-D${seconds}`])

async function runHttp2(server, uris, shape, without = []) {
  const left = ['Connection', ...without]
  const headers = Object.entries(browserHeaders).filter(([name]) => !left.includes(name))
  const flags = headers.flatMap(([name, value]) => ['-H', `${name.toLowerCase()}: ${value}`])
  const target = ['-t1', '-i', uris, `--connect-to=127.0.0.1:${server.tlsPort}`]
  const [program, ...prefix] = onCore(loadCore)
  const { stdout } = await run(program, [
    ...prefix,
    findTool('nghttp2-client'),
    ...target,
    ...shape,
    ...flags,
  ])
  if (!/ 0 failed, 0 errored, 0 timeout/.test(stdout)) throw new Error(`It did not answer well:\n${stdout}`)
}

const cpuOf = ({ pid, pids = [pid] }) => pids.reduce((sum, each) => sum + cpuSecondsOf(each), 0)
