// Load from wrk, on a core of its own, and what it saw.
import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'
import { findTool } from '../scripts/tools.mjs'
import { cpuSecondsOf } from './processes.mjs'

/** Servers and the load generator never share a core, so a server has "one core" in the plain sense. */
export const serverCore = '0'
export const loadCore = '1'
export const onCore = core => ['taskset', '-c', core]

/** A process that runs already, with all its threads. */
export const pinToServerCore = pid =>
  execFileSync('taskset', ['-a', '-p', '-c', serverCore, String(pid)], { stdio: 'ignore' })

const inMs = { us: 1e-3, ms: 1, s: 1e3, m: 6e4 }

/**
 * Requests per second, per second of the server's processor time, and latencies in milliseconds.
 * An answer that is not a success makes it throw.
 */
export async function load(server, path, { connections = 32, seconds = 3, headers = {} } = {}) {
  const flags = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const args = [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--latency',
    '--timeout',
    '10s',
    ...flags,
    server.url + path,
  ]
  const [program, ...prefix] = onCore(loadCore)
  const before = cpuSecondsOf(server.pid)
  const { stdout } = await promisify(execFile)(program, [...prefix, findTool('wrk'), ...args])
  if (/Non-2xx|Socket errors/.test(stdout))
    throw new Error(`${server.url + path} did not answer well:\n${stdout}`)
  const requests = Number(/(\d+) requests in/.exec(stdout)[1])
  return {
    requests,
    perCpuSecond: requests / (cpuSecondsOf(server.pid) - before),
    perSecond: Number(/Requests\/sec:\s*([\d.]+)/.exec(stdout)[1]),
    p50: latency(stdout, 50),
    p99: latency(stdout, 99),
  }
}

/** The same by TLS and HTTP/2, from h2load: eight connections with ten requests each under way. */
export async function loadHttp2({ pid, port }, host, { seconds = 3 } = {}) {
  const shape = ['-t1', '-c8', '-m10', `-D${seconds}`, `--connect-to=127.0.0.1:${port}`]
  const [program, ...prefix] = onCore(loadCore)
  const before = cpuSecondsOf(pid)
  const args = [...prefix, findTool('nghttp2-client'), ...shape, `https://${host}:${port}/`]
  const { stdout } = await promisify(execFile)(program, args)
  const [, succeeded, failed] = /(\d+) succeeded, (\d+) failed/.exec(stdout)
  const answered = Number(/status codes: (\d+) 2xx/.exec(stdout)[1])
  if (failed !== '0' || answered < Number(succeeded))
    throw new Error(`${host} did not answer well:\n${stdout}`)
  return {
    perCpuSecond: Number(succeeded) / (cpuSecondsOf(pid) - before),
    perSecond: Number(/, ([\d.]+) req\/s/.exec(stdout)[1]),
  }
}

/** Of wrk's own report, in milliseconds. */
export function latency(text, percent) {
  const [, value, unit] = new RegExp(`${percent}%\\s+([\\d.]+)(us|ms|s|m)`).exec(text)
  return Number(value) * inMs[unit]
}

/** The rows of two servers under the same load. On a busy machine the second, by processor time, is the steadier. */
export function ratesOf(what, svc, other, result, atLeast) {
  return [
    { what, unit: 'requests/s', svc: svc.perSecond, other, value: result.perSecond, atLeast },
    { what, unit: 'requests per CPU second', svc: svc.perCpuSecond, other, value: result.perCpuSecond },
  ]
}
