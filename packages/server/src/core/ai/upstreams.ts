// The providers behind the AI gateway, and which of them answers for a model.
import { z } from 'zod'
import { Secret } from '../../lib/secret.ts'

export interface AiUpstream {
  name: string
  /** The URL without a slash at its end. */
  url: URL
  key: Secret | undefined
  /** The header field that holds the key. In `authorization` it follows the word Bearer. */
  authHeader: string
  /** The upstream answers for models whose names begin with one of these. An empty prefix matches every model. */
  prefixes: readonly string[]
  /** Whether the upstream understands `stream_options`, which asks for token counts in a streamed answer. */
  streamUsage: boolean
}

const token = /^[A-Za-z0-9-]{1,100}$/
const upstreamFile = z.strictObject({
  upstreams: z
    .array(
      z.strictObject({
        name: z.string().regex(token, 'must consist of letters, digits and dashes'),
        url: z.string(),
        key: z.string().min(1).optional(),
        key_env: z.string().min(1).optional(),
        auth_header: z.string().regex(token, 'must be the name of a header').default('Authorization'),
        prefixes: z.array(z.string().max(200)).min(1, 'must name at least one prefix; "" is for every model'),
        stream_usage: z.boolean().default(true),
      }),
    )
    .min(1, 'must name at least one upstream'),
})

/** Throws an error with a message for the operator if the file is not valid. `variable` reads an environment variable. */
export function readUpstreams(file: unknown, variable: (name: string) => string | undefined): AiUpstream[] {
  const { upstreams } = upstreamFile.parse(file)
  const names = new Set<string>()
  const taken = new Map<string, string>()
  return upstreams.map(({ name, url, key, key_env, auth_header, prefixes, stream_usage }) => {
    const refuse = (problem: string): Error => new Error(`upstream '${name}': ${problem}`)
    if (key !== undefined && key_env !== undefined) throw refuse('has both key and key_env; give one of them')
    const secret = key ?? (key_env === undefined ? undefined : variable(key_env))
    if (key_env !== undefined && !secret)
      throw refuse(`the variable ${key_env}, named by key_env, is not set`)
    if (names.has(name)) throw refuse('the name is there twice')
    names.add(name)
    for (const prefix of prefixes) {
      const other = taken.get(prefix)
      if (other !== undefined) throw refuse(`the prefix '${prefix}' is taken by '${other}' already`)
      taken.set(prefix, name)
    }
    return {
      name,
      url: readUrl(url, refuse),
      key: readKey(secret, refuse),
      authHeader: auth_header,
      prefixes,
      streamUsage: stream_usage,
    }
  })
}

/** The one upstream of SVCD_AI_UPSTREAM and SVCD_AI_KEY, for every model. */
export function singleUpstream(url: string, key: Secret | undefined): AiUpstream {
  const refuse = (problem: string): Error => new Error(problem)
  return {
    name: 'default',
    url: readUrl(url, refuse),
    key: readKey(key?.reveal(), refuse),
    authHeader: 'Authorization',
    prefixes: [''],
    streamUsage: true,
  }
}

/** Chooses the upstream with the longest matching prefix. A request without a model goes to the upstream for every model. */
export function upstreamFor(upstreams: readonly AiUpstream[], model: string): AiUpstream | undefined {
  let best: { upstream: AiUpstream; prefix: string } | undefined
  for (const upstream of upstreams)
    for (const prefix of upstream.prefixes)
      if (model.startsWith(prefix) && prefix.length > (best?.prefix.length ?? -1)) best = { upstream, prefix }
  return best?.upstream
}

/**
 * The URL for a call such as `/v1/models`. The upstream's own path comes first: `https://host/openai` makes it
 * `/openai/v1/models`. A path that names a version already, such as `/api/v1` or `/v1beta/openai`, takes the place of `/v1`.
 */
export function upstreamPath({ url }: Pick<AiUpstream, 'url'>, path: string, query: string): string {
  const base = url.pathname.replace(/\/$/, '')
  const hasVersion = base.split('/').some(segment => /^v\d/.test(segment))
  const joined = [url.search.slice(1), query].filter(Boolean).join('&')
  return `${base}${hasVersion ? path.slice('/v1'.length) : path}${joined && `?${joined}`}`
}

/** The URL may contain a key by mistake, so messages do not repeat it. */
function readUrl(text: string, refuse: (problem: string) => Error): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw refuse('the URL must begin with https:// or http://')
  if (url.username || url.password || url.hash)
    throw refuse('the URL must not hold a user name, a password or a #; the key is a setting of its own')
  return url
}

function readKey(text: string | undefined, refuse: (problem: string) => Error): Secret | undefined {
  if (text === undefined) return undefined
  if (!/^[\x21-\x7e]+$/.test(text)) throw refuse('the key must consist of ASCII characters without spaces')
  return new Secret(text)
}
