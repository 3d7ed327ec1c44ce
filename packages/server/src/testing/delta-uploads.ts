// Uploads that leave out files which the platform has already, for tests.
import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { encodeUnchanged, unchangedPath } from '@svc/contract/site'
import { type Entries, tarball } from './archives.ts'
import { eventually } from './eventually.ts'
import { send } from './send.ts'
import type { TestServer } from './server.ts'
import { beginUpload } from './slow-upload.ts'
import { freshName } from './team.ts'

export const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex')

/** The list of the files that an upload leaves out. */
export const listOf = (files: Entries): Entries[number] => [
  unchangedPath,
  encodeUnchanged(new Map(files.map(([name, content]) => [name, sha256(content)]))),
]

export type DeltaProject = Awaited<ReturnType<typeof newDeltaProject>>

/** A project with what the tests of such uploads ask of it. It has a new owner if none is given. */
export async function newDeltaProject(
  server: TestServer,
  owner?: Awaited<ReturnType<TestServer['account']>>,
  name = freshName(),
) {
  const account = owner ?? (await server.account())
  await send(server, 'POST /projects', account, { name })
  const deployments = `/projects/${name}/deployments` as const
  return {
    owner: account,
    name,
    deployments,
    upload: (entries: Entries, query = '') => server.upload(account.token, name, tarball(entries), query),
    missing: async (...contents: (string | Buffer)[]): Promise<string[]> => {
      const body = { sha256: contents.map(sha256) }
      return (await send(server, `POST ${deployments}/missing`, account, body)).json.sha256
    },
    page: async (file: string, host = `${name}.localhost`): Promise<string> => {
      const { status, text } = await server.request(file, { host })
      return status === 200 ? text : String(status)
    },
    packs: async () =>
      (await readdir(path.join(server.dataDir, 'packs'))).filter(file => !file.includes('.z.')),
  }
}

/** Sends a part of an upload, of which the first megabyte is written, and cuts it off. */
export async function breakOffUpload(
  server: TestServer,
  project: DeltaProject,
  entries: Entries,
): Promise<void> {
  const directory = path.join(server.dataDir, 'packs')
  // Compressed variants of earlier deployments (`.z`) are written at the same time.
  const unfinished = async () =>
    (await readdir(directory)).filter(file => file.endsWith('.tmp') && !file.includes('.z.'))
  const before = new Set(await unfinished())
  const upload = beginUpload(server, project.owner.token, project.deployments, tarball(entries))
  await eventually(async () => {
    const [file] = (await unfinished()).filter(name => !before.has(name))
    return file !== undefined && (await stat(path.join(directory, file))).size > 0
  })
  upload.cut()
  await eventually(async () => {
    const { json } = await send(server, `GET ${project.deployments}?status=failed`, project.owner)
    return json.deployments.length === 1
  })
}
