import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { decodeUnchanged, unchangedPath } from '@svc/contract/site'
import { describe, expect, it } from 'vitest'
import { refusal, type StandIn, send, standIn } from '../testing/api.ts'
import { svc, temporaryDirectory, token, writeFiles } from '../testing/svc.ts'

const ask = 'POST /projects/blog/deployments/missing'
const upload = 'POST /projects/blog/deployments'
const deployed = { status: 201, body: { deployment_id: 'dep_a', url: 'http://blog.localhost', warnings: [] } }
const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')

/** Random, so that the archive is as large as the files. */
const large = randomBytes(3_000_000).toString('base64url').slice(0, 3_000_000)
const files = { 'a.txt': large, 'b.txt': 'small', 'copy.txt': 'small' }

async function deploy(api: StandIn, site: Record<string, string | Buffer> = files) {
  const cwd = temporaryDirectory()
  writeFiles(join(cwd, 'site'), site)
  const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
  return await svc(['deploy', 'site', '--project', 'blog'], { cwd, env })
}

const tar = (archive: Buffer, ...args: string[]) =>
  execFileSync('tar', [...args, '-zf', '-'], { input: archive, encoding: 'utf8' })
const listing = (archive: Buffer) => tar(archive, '-t').trim().split('\n')
const unchangedIn = (archive: Buffer) =>
  Object.fromEntries(
    decodeUnchanged(
      execFileSync('tar', ['-xzOf', '-', unchangedPath], { input: archive, encoding: 'utf8' }),
    )!,
  )

describe('deploying a site again', () => {
  it('sends the files that the platform lacks, and lists the others first', async () => {
    const api = await standIn({ [ask]: { body: { sha256: [sha256('small')] } }, [upload]: deployed })
    const { code, stdout } = await deploy(api)
    expect([code, stdout]).toEqual([0, expect.stringContaining('is live: 3 files, ')])
    expect(JSON.parse(api.calls[0]!.body.toString())).toEqual({ sha256: [sha256(large), sha256('small')] })
    const archive = api.calls[1]!.body
    expect(listing(archive)).toEqual([unchangedPath, 'b.txt', 'copy.txt'])
    expect(unchangedIn(archive)).toEqual({ 'a.txt': sha256(large) })
  })

  it('sends everything to a platform that does not know the question, does not answer it to an org token, or answers something else', async () => {
    const refusals = [refusal('not_found', 'Unknown path.', 404), refusal('unauthorized', 'No.', 401)]
    for (const answer of [...refusals, { body: { ok: true } }]) {
      const api = await standIn({ [ask]: answer, [upload]: deployed })
      expect((await deploy(api)).code).toBe(0)
      expect(listing(api.calls[1]!.body)).toEqual(['a.txt', 'b.txt', 'copy.txt'])
    }
  })

  it('asks again if files are gone meanwhile', async () => {
    const gone = refusal('files_missing', 'Gone.', 409)
    const answers = [{ body: { sha256: [] } }, { body: { sha256: [sha256(large)] } }]
    const api = await standIn({ [ask]: answers, [upload]: [gone, deployed] })
    expect((await deploy(api)).code).toBe(0)
    expect(listing(api.calls[1]!.body)).toEqual([unchangedPath])
    expect(listing(api.calls[3]!.body)).toEqual([unchangedPath, 'a.txt'])
  })

  it('goes on with what has not arrived when the connection breaks', async () => {
    // More than the kernel takes on both sides of the connection: svc must not have sent everything when it breaks.
    const larger = randomBytes(24 * 1024 * 1024)
    const answers = [
      { body: { sha256: [sha256(larger), sha256('small')] } },
      { body: { sha256: [sha256('small')] } },
    ]
    let uploads = 0
    const received: Buffer[] = []
    const breakFirst = (request: IncomingMessage, response: ServerResponse) => {
      uploads++
      if (uploads === 1) {
        request.once('data', () => request.socket.resetAndDestroy())
        return
      }
      request.on('data', chunk => received.push(chunk))
      request.on('end', () => send(response, deployed))
    }
    const api = await standIn({ [ask]: answers, [upload]: breakFirst })
    const { code, stderr } = await deploy(api, { ...files, 'a.txt': larger })
    expect([code, stderr]).toEqual([0, expect.stringContaining('Sending what is still missing…')])
    expect(listing(Buffer.concat(received))).toEqual([unchangedPath, 'b.txt', 'copy.txt'])
  })

  it('ends with the error if the token is refused', async () => {
    const revoked = refusal('unauthorized', 'The token was revoked.', 401)
    const api = await standIn({ [ask]: revoked, [upload]: revoked })
    const { code, stderr } = await deploy(api)
    expect([code, stderr]).toEqual([1, expect.stringContaining('The token was revoked.')])
    expect(api.keys()).toEqual([ask, upload])
  })
})
