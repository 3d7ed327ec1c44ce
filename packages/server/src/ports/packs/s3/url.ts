// Parses the URL of an S3 store: s3://bucket/prefix?endpoint=https://…&region=…&timeout=seconds
import type { S3Settings } from './client.ts'
import type { Credentials } from './signature.ts'

const parameters = ['endpoint', 'region', 'timeout']

/** Error messages follow the name of the setting. They never contain a secret. */
export function readS3Url(value: string, given: Credentials | undefined): S3Settings {
  const url = new URL(value)
  const unknown = [...url.searchParams.keys()].find(name => !parameters.includes(name))
  if (unknown !== undefined) throw new Error(`has the unknown parameter '${unknown}'`)
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.host)) throw new Error('names no valid bucket')
  if (!/^[\w./-]*$/.test(url.pathname)) throw new Error('may have only A-Z a-z 0-9 . _ - / in its path')
  const credentials = fromUserInfo(url) ?? given
  if (credentials === undefined)
    throw new Error('needs credentials: set SVCD_S3_ACCESS_KEY_ID and SVCD_S3_SECRET_ACCESS_KEY')
  const region = url.searchParams.get('region') ?? 'us-east-1'
  if (!/^[a-z0-9-]+$/.test(region)) throw new Error('has no valid region')
  const prefix = url.pathname.split('/').filter(Boolean).join('/')
  return {
    ...credentials,
    endpoint: endpoint(url.searchParams.get('endpoint')),
    region,
    bucket: url.host,
    prefix: prefix === '' ? '' : `${prefix}/`,
    timeoutMs: timeout(url.searchParams.get('timeout') ?? '5') * 1000,
  }
}

function fromUserInfo({ username, password }: URL): Credentials | undefined {
  if (username === '' && password === '') return undefined
  if (username === '' || password === '')
    throw new Error('needs both an access key and its secret before the @')
  return { accessKeyId: decodeURIComponent(username), secretAccessKey: decodeURIComponent(password) }
}

function endpoint(value: string | null): string | undefined {
  if (value === null) return undefined
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.username !== '')
    throw new Error('needs an endpoint such as https://s3.example.com')
  return url.href
}

function timeout(value: string): number {
  if (!/^\d+$/.test(value) || Number(value) < 1 || Number(value) > 60)
    throw new Error('needs a timeout of 1 to 60 seconds')
  return Number(value)
}
