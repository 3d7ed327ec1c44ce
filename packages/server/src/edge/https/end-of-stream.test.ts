// Every answer of HTTP/2 ends with END_STREAM, as clients that others wrote see it (RFC 9113 §8.1): nghttp, h2load and curl.
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { procfileApp, TestApp } from '../../testing/apps.ts'
import { httpsDomain, withAndWithoutLanes } from '../../testing/https-server.ts'
import { deploySite } from '../../testing/sites.ts'

const KB = 1024
const sizes = [0, 1, 100, 1_000, 16_383, 16_384, 16_385, 65_535, 65_536, 100_000, 262_144, 300_000, 2_000_000]
const paths = sizes.map(bytes => `/${bytes}.bin`)
const content = (bytes: number): string => 'x'.repeat(bytes)
const files = Object.fromEntries(sizes.map(bytes => [`${bytes}.bin`, content(bytes)]))

/** Answers `/<bytes>.bin` with so many bytes, of a declared length or in chunks. It never reads the body of a request. */
const app = `
require('node:http').createServer((req, res) => {
  const bytes = Number(/\\d+/.exec(req.url)[0])
  res.setHeader('content-type', 'application/octet-stream')
  if (req.url.includes('chunked')) res.write('')
  res.end('x'.repeat(bytes))
}).listen(process.env.PORT, process.env.HOSTNAME)
`

/** Widths of the windows of a stream and of a connection, as powers of two: nghttp and h2load take them so. */
const windows = [[], ['-w10', '-W10'], ['-w14', '-W14'], ['-w20', '-W16'], ['-w30', '-W30']]

const run = promisify(execFile)
/** A client that waits for ever fails its test. */
const atMost = { maxBuffer: 100_000_000, timeout: 60_000 }

withAndWithoutLanes(server => {
  const hosts = { file: '', app: '' }
  beforeAll(async () => {
    hosts.file = `${await deploySite(server(), (await server().account()).token, files)}.${httpsDomain}`
    const deployed = await TestApp.create(server())
    await deployed.deploy(procfileApp('app', app))
    hosts.app = `${deployed.name}.${httpsDomain}`
    await writeFile(bodyFile(), content(300 * KB))
  })

  const bodyFile = () => path.join(server().dataDir, 'body')
  const port = () => server().running.tlsPort!

  /** Sends all requests on one connection, and returns nghttp's account of the frames. */
  const nghttp = async (host: string, paths: string[], more: string[] = []) => {
    const urls = paths.map(path => `https://127.0.0.1:${port()}${path}`)
    const args = ['-n', '-v', '--no-verify-peer', '-H', `host: ${host}`, '-H', `:authority: ${host}`]
    const { stdout } = await run('nghttp', [...args, ...more, ...urls], atMost)
    return {
      answered: stdout.split('recv (stream_id=').filter(part => part.includes(':status: ')).length,
      ended: stdout.split('; END_STREAM').length - 1 - sentEnds(stdout),
      resets: stdout.split(/recv RST_STREAM/).length - 1,
    }
  }

  /** Returns how many requests were answered, and how many of the answers h2load took for broken. */
  const h2load = async (host: string, paths: string[], flags: string[]) => {
    const urls = paths.map(path => `https://${host}:${port()}${path}`)
    const { stdout } = await run('h2load', [`--connect-to=127.0.0.1:${port()}`, ...flags, ...urls], atMost)
    const count = (what: string) => Number(new RegExp(`(\\d+) ${what}`).exec(stdout)?.[1])
    const statuses = /status codes: .*/.exec(stdout)?.[0]
    return { done: count('done,'), broken: count('failed') - count('4xx') + count('errored'), statuses }
  }

  describe.each(['file', 'app'] as const)('answers of the %s', kind => {
    const all = kind === 'app' ? [...paths, ...paths.map(path => `/chunked${path}`)] : paths
    const withoutLargest = all.filter(path => !path.endsWith(paths.at(-1)!))
    /** nghttp asks only once for each URL. */
    const many = Array.from({ length: 120 }, (_, at) => `${withoutLargest[at % withoutLargest.length]}?${at}`)

    it.each(windows.map(flags => [flags.join(' ') || 'its own', flags] as const))(
      'end with END_STREAM for nghttp with %s windows',
      async (_, flags) => {
        for (const asked of [many, all])
          expect(await nghttp(hosts[kind], asked, flags)).toEqual({
            answered: asked.length,
            ended: asked.length,
            resets: 0,
          })
      },
    )

    it('all succeed for h2load', async () => {
      for (const flags of windows) {
        const counted = await h2load(hosts[kind], all, ['-n200', '-c4', '-m10', ...flags])
        expect(counted, flags.join(' ')).toMatchObject({ done: 200, broken: 0 })
      }
    })

    it('end with END_STREAM, although the body of the request was not read', async () => {
      for (const flags of windows) {
        const sent = await nghttp(hosts[kind], all, ['-d', bodyFile(), ...flags])
        expect(sent, flags.join(' ')).toEqual({ answered: all.length, ended: all.length, resets: 0 })
        const counted = await h2load(hosts[kind], all, ['-n60', '-c2', '-m10', '-d', bodyFile(), ...flags])
        expect(counted, flags.join(' ')).toMatchObject({ done: 60, broken: 0 })
      }
    })

    it('are whole for curl, on one connection and in parallel', async () => {
      const host = hosts[kind]
      const resolve = ['-sk', '--http2', '--resolve', `${host}:${port()}:127.0.0.1`]
      const asked = all.flatMap(path => ['-o', '/dev/null', `https://${host}:${port()}${path}`])
      const told = ['-w', '%{http_version} %{http_code} %{size_download} %{exitcode}\n']
      const expected = all.map(path => `2 200 ${/\d+/.exec(path)![0]} 0`).toSorted()
      for (const more of [[], ['--parallel', '--parallel-immediate'], ['--limit-rate', '20M']]) {
        const { stdout } = await run('curl', [...resolve, ...more, ...told, ...asked], atMost)
        expect(stdout.trim().split('\n').toSorted()).toEqual(expected)
      }
    })
  })
})

/** How many frames with END_STREAM the client itself has sent. */
function sentEnds(log: string): number {
  const frames = log.split(/\n\[ *[\d.]+\] /)
  return frames.filter(frame => frame.startsWith('send ') && frame.includes('; END_STREAM')).length
}
