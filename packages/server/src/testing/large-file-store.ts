// A strict stand-in for the part of a git host that has files in Git LFS.
import type { IncomingMessage, ServerResponse } from 'node:http'

const mediaType = 'application/vnd.git-lfs+json'

export class LargeFileStore {
  /** By checksum. */
  readonly files = new Map<string, Buffer>()

  /** The answer to a batch request of git-lfs, whose token was checked. */
  async tell(req: IncomingMessage, res: ServerResponse, url: string): Promise<void> {
    let text = ''
    for await (const chunk of req) text += chunk
    const { operation, transfers, objects } = JSON.parse(text)
    const { accept, 'content-type': sent } = req.headers
    if (
      operation !== 'download' ||
      !transfers.includes('basic') ||
      accept !== mediaType ||
      sent !== mediaType
    )
      return void res.writeHead(422).end()
    const answer = objects.map(({ oid, size }: { oid: string; size: number }) =>
      this.files.has(oid)
        ? { oid, size, actions: { download: { href: `${url}/lfs/moved/${oid}`, header: { 'x-pass': oid } } } }
        : { oid, size, error: { code: 404, message: 'Object does not exist' } },
    )
    res
      .writeHead(200, { 'content-type': mediaType })
      .end(JSON.stringify({ transfer: 'basic', objects: answer }))
  }

  /** Files have another place, as with an object storage. The token of the repository is not for it. */
  give(req: IncomingMessage, res: ServerResponse): void {
    const oid = req.url?.split('/').at(-1) ?? ''
    if (req.headers.authorization !== undefined || req.headers['x-pass'] !== oid)
      return void res.writeHead(403).end()
    if (req.url?.startsWith('/lfs/moved/')) return void res.writeHead(302, { location: `/lfs/${oid}` }).end()
    res.writeHead(200).end(this.files.get(oid))
  }
}
