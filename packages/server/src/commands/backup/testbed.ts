// Runs svcd for the tests of backups: its commands, and servers on several data directories.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll } from 'vitest'
import { archiveOf } from '../../testing/archives.ts'

const binary = fileURLToPath(new URL('../../../bin/svcd.js', import.meta.url))

let dir: string

/** Makes a directory for the files of a test file. */
export function useDirectory(): void {
  beforeAll(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'svc-backup-'))
  })
  afterAll(() => rm(dir, { recursive: true }))
}

export const at = (...names: string[]): string => path.join(dir, ...names)

export type Env = Record<string, string>

const envOf = (data: string, env: Env) => ({ PATH: process.env.PATH, SVCD_DATA_DIR: at(data), ...env })

export function svcd(data: string, args: string[], env: Env = {}) {
  return new Promise<{ code: number; stdout: string; stderr: string }>(resolve => {
    execFile(process.execPath, [binary, ...args], { env: envOf(data, env) }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    )
  })
}

/** Starts a command, and kills it without warning when `moment` has come. */
export async function killedAt(data: string, args: string[], env: Env, moment: () => Promise<unknown>) {
  const options = { env: envOf(data, env), stdio: 'ignore' } as const
  const child = spawn(process.execPath, [binary, ...args], options)
  const ended = once(child, 'close')
  try {
    await moment()
  } finally {
    child.kill('SIGKILL')
    await ended
  }
}

/** Runs a server on the data directory while `use` works with it. */
export async function whileServing(
  data: string,
  use: (port: number) => Promise<void>,
  settings: Env = {},
): Promise<void> {
  const env = envOf(data, { SVCD_PORT: '0', SVCD_RUNNER: 'process', ...settings })
  const server = spawn(process.execPath, [binary, 'start'], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = once(server, 'close')
  try {
    const lines = createInterface(server.stdout)
    const ready = async () => {
      for await (const line of lines)
        if (line.includes('svcd ready')) return /localhost:(\d+)/.exec(line)?.[1]
    }
    await use(Number(await ready()))
  } finally {
    server.kill('SIGTERM')
    await ended
  }
}

interface Call {
  method?: string
  host?: string
  token?: string
  body?: string | Buffer
  type?: string
}

export async function call(
  port: number,
  url: string,
  { method = 'GET', host = 'localhost', token, body, type }: Call,
) {
  const headers = {
    host,
    ...(token && { authorization: `Bearer ${token}` }),
    ...(type && { 'content-type': type }),
  }
  const sent = request({ port, host: '127.0.0.1', path: url, method, headers, agent: false }).end(body)
  const [answer] = await once(sent, 'response')
  return { status: answer.statusCode as number, text: await text(answer) }
}

/** Uploads a site with one page, and makes it live. Returns the id of the deployment. */
export async function deploy(port: number, token: string, project: string, page: string): Promise<string> {
  const body = archiveOf({ 'index.html': page })
  const upload = { token, method: 'POST', body, type: 'application/gzip' }
  const { status, text: answer } = await call(port, `/projects/${project}/deployments`, upload)
  if (status !== 201) throw new Error(`the deployment was answered with ${status}: ${answer}`)
  return JSON.parse(answer).deployment_id
}
