// A strict stand-in for an S3 store: it checks signatures and keeps S3's rules on parts, ranges and conditions.
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { accessKeyId, refusalOf, region, secretAccessKey } from './s3-authority.ts'

interface StoredObject {
  bytes: Buffer
  etag: string
  meta: Record<string, string>
}

interface Upload {
  key: string
  meta: Record<string, string>
  parts: Map<number, StoredObject>
}

export interface S3Call {
  method: string
  key: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: Buffer
}

/** How a call fails: with a status, a dropped connection, no answer, a lost answer, or a body that breaks off. */
export type Mishap = number | 'drop' | 'hang' | 'lose-answer' | 'cut-body'

class Refusal extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string) {
    super(code)
    this.status = status
    this.code = code
  }
}

const smallestPart = 5 * 1024 * 1024
const bucket = 'packs-test'

export class S3Server {
  readonly objects = new Map<string, StoredObject>()
  readonly uploads = new Map<string, Upload>()
  readonly calls: S3Call[] = []
  mishap: (call: S3Call) => Mishap | undefined | Promise<Mishap | undefined> = () => undefined
  /** If false, conditional writes are answered with 501, as older stores do. */
  knowsConditions = true
  pageSize = 1000
  readonly #server: Server
  #lastUpload = 0

  private constructor() {
    this.#server = createServer((req, res) => void this.#serve(req, res))
  }

  static async start(): Promise<S3Server> {
    const s3 = new S3Server()
    await new Promise<void>(resolve => s3.#server.listen(0, '127.0.0.1', resolve))
    return s3
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The value for SVCD_STORAGE_URL. */
  get storageUrl(): string {
    const credentials = `${accessKeyId}:${encodeURIComponent(secretAccessKey)}`
    return `s3://${credentials}@${bucket}/deep/er?region=${region}&timeout=1&endpoint=${this.endpoint}`
  }

  /** Lists the keys and the unfinished uploads in the store. */
  leftovers(): string[] {
    return [...this.objects.keys(), ...[...this.uploads.values()].map(upload => `${upload.key} (unfinished)`)]
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      const body = await buffer(req)
      const url = new URL(req.url!, this.endpoint)
      const [, inBucket, ...rest] = url.pathname.split('/')
      const call = {
        method: req.method!,
        key: rest.join('/'),
        query: url.searchParams,
        headers: req.headers,
        body,
      }
      this.calls.push(call)
      const mishap = await this.mishap(call)
      if (mishap === 'drop') return void req.socket.destroy()
      if (mishap === 'hang') return
      const refusal = refusalOf(req, body)
      if (refusal !== undefined) throw new Refusal(403, refusal)
      if (inBucket !== bucket) throw new Refusal(404, 'NoSuchBucket')
      if (typeof mishap === 'number') throw new Refusal(mishap, 'InternalError')
      const answer = this.#answer(call)
      if (mishap === 'lose-answer') return void req.socket.destroy()
      res.writeHead(answer.status ?? 200, answer.headers)
      if (mishap !== 'cut-body') return void res.end(req.method === 'HEAD' ? undefined : answer.body)
      res.write((answer.body as Buffer).subarray(0, answer.body!.length / 2), () => req.socket.destroy())
    } catch (error) {
      if (!(error instanceof Refusal)) return void req.socket.destroy()
      const xml = `<?xml version="1.0"?><Error><Code>${error.code}</Code><Message>said &quot;no&quot;</Message></Error>`
      res.writeHead(error.status, { 'content-type': 'application/xml' })
      res.end(req.method === 'HEAD' ? undefined : xml)
    }
  }

  #answer(call: S3Call): Answer {
    const { method, key, query } = call
    const uploadId = query.get('uploadId')
    if (key === '') return this.#list(query)
    if (method === 'POST' && query.has('uploads')) return this.#begin(call)
    if (method === 'PUT' && uploadId !== null) return this.#putPart(call, uploadId)
    if (method === 'POST' && uploadId !== null) return this.#complete(call, uploadId)
    if (method === 'DELETE' && uploadId !== null) return this.#abort(call, uploadId)
    if (method === 'PUT') return this.#put(key, call.headers, stored(call.body, call.headers))
    if (method === 'DELETE') return this.#delete(key)
    if (method === 'GET' || method === 'HEAD') return this.#get(call)
    throw new Refusal(405, 'MethodNotAllowed')
  }

  #list(query: URLSearchParams): Answer {
    if (query.get('list-type') !== '2') throw new Refusal(400, 'InvalidArgument')
    const after = query.get('continuation-token') ?? ''
    const size = Math.min(this.pageSize, Number(query.get('max-keys') ?? 1000))
    const prefix = query.get('prefix') ?? ''
    const keys = [...this.objects.keys()].filter(key => key.startsWith(prefix) && key > after).sort()
    const page = keys.slice(0, size)
    const more = keys.length > page.length
    const next = more ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
    const contents = page.map(key => `<Contents><Key>${key}</Key></Contents>`).join('')
    const body = `<ListBucketResult><IsTruncated>${more}</IsTruncated>${next}${contents}</ListBucketResult>`
    return { headers: { 'content-type': 'application/xml' }, body: Buffer.from(body) }
  }

  #begin({ key, headers }: S3Call): Answer {
    const uploadId = `upload+${++this.#lastUpload}/=`
    this.uploads.set(uploadId, { key, meta: metaOf(headers), parts: new Map() })
    const body = `<InitiateMultipartUploadResult><UploadId>${uploadId}</UploadId></InitiateMultipartUploadResult>`
    return { body: Buffer.from(body) }
  }

  #putPart({ key, query, body, headers }: S3Call, uploadId: string): Answer {
    const number = Number(query.get('partNumber'))
    if (!(number >= 1 && number <= 10_000)) throw new Refusal(400, 'InvalidArgument')
    const part = stored(body, headers)
    this.#uploadOf(key, uploadId).parts.set(number, part)
    return { headers: { etag: part.etag } }
  }

  #complete({ key, body, headers }: S3Call, uploadId: string): Answer {
    const { parts, meta } = this.#uploadOf(key, uploadId)
    const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g)]
    if (named.length === 0) throw new Refusal(400, 'MalformedXML')
    const chosen = named.map(([, number, etag], i) => {
      const part = parts.get(Number(number))
      if (part === undefined || part.etag !== etag!.replaceAll('&quot;', '"'))
        throw new Refusal(400, 'InvalidPart')
      if (i > 0 && Number(number) <= Number(named[i - 1]![1])) throw new Refusal(400, 'InvalidPartOrder')
      if (i < named.length - 1 && part.bytes.length < smallestPart) throw new Refusal(400, 'EntityTooSmall')
      return part.bytes
    })
    const whole = stored(Buffer.concat(chosen), {})
    const answer = this.#put(key, headers, {
      ...whole,
      etag: `"${whole.etag.slice(1, 33)}-${named.length}"`,
      meta,
    })
    this.uploads.delete(uploadId)
    return { ...answer, body: Buffer.from('<CompleteMultipartUploadResult/>') }
  }

  #abort({ key }: S3Call, uploadId: string): Answer {
    this.#uploadOf(key, uploadId)
    this.uploads.delete(uploadId)
    return { status: 204 }
  }

  #put(key: string, headers: IncomingMessage['headers'], object: StoredObject): Answer {
    const condition = headers['if-none-match']
    if (condition !== undefined && !this.knowsConditions) throw new Refusal(501, 'NotImplemented')
    if (condition === '*' && this.objects.has(key)) throw new Refusal(412, 'PreconditionFailed')
    this.objects.set(key, object)
    return { headers: { etag: object.etag } }
  }

  #delete(key: string): Answer {
    this.objects.delete(key)
    return { status: 204 }
  }

  #get({ key, headers }: S3Call): Answer {
    const object = this.objects.get(key)
    if (object === undefined) throw new Refusal(404, 'NoSuchKey')
    if (headers['if-match'] !== undefined && headers['if-match'] !== object.etag)
      throw new Refusal(412, 'PreconditionFailed')
    const all = object.bytes.length
    const common = { etag: object.etag, ...object.meta }
    if (headers.range === undefined)
      return { headers: { ...common, 'content-length': all }, body: object.bytes }
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range) ?? []
    const start = Number(first)
    const end = Math.min(Number(last) + 1, all)
    if (!(start < end)) throw new Refusal(416, 'InvalidRange')
    const range = { 'content-range': `bytes ${start}-${end - 1}/${all}`, 'content-length': end - start }
    return { status: 206, headers: { ...common, ...range }, body: object.bytes.subarray(start, end) }
  }

  #uploadOf(key: string, uploadId: string): Upload {
    const upload = this.uploads.get(uploadId)
    if (upload?.key !== key) throw new Refusal(404, 'NoSuchUpload')
    return upload
  }
}

interface Answer {
  status?: number
  headers?: Record<string, string | number>
  body?: Buffer
}

function stored(bytes: Buffer, headers: IncomingMessage['headers']): StoredObject {
  return { bytes, etag: `"${createHash('md5').update(bytes).digest('hex')}"`, meta: metaOf(headers) }
}

function metaOf(headers: IncomingMessage['headers']): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => name.startsWith('x-amz-meta-'))
  return Object.fromEntries(kept) as Record<string, string>
}
