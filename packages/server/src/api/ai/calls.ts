// Which calls the gateway passes on. All its users share the operator's account at the provider: what is stored there,
// such as files, batches or assistants, would be open to all of them. So it takes calls that store nothing.
import type { IncomingMessage } from 'node:http'
import { GatewayError } from './errors.ts'

export interface AiCall {
  method: 'GET' | 'POST'
  /** The path as the client wrote it, such as `/v1/chat/completions`. */
  path: string
  query: string
  /** The part below `/v1/`: `models`, `models/gpt-4o`, `chat/completions`. */
  name: string
}

/** First words of paths below /v1/ that store something, or hand out keys of the account. */
const stored = new Set([
  'admin',
  'assistants',
  'batches',
  'chatkit',
  'containers',
  'conversations',
  'evals',
  'files',
  'fine-tunes',
  'fine_tuning',
  'organization',
  'projects',
  'realtime',
  'skills',
  'threads',
  'uploads',
  'vector_stores',
  'videos',
])

/** Second words that do: `/v1/messages/batches`, `/v1/audio/voices`. */
const storedBelow = new Set(['batches', 'voice_consents', 'voices'])

/** Longer paths name something that is stored: `/v1/responses/<id>/cancel`. */
const mostWords = 2

/** Calls below /v1/responses/. All other words there are ids of stored responses. */
const responseCalls = new Set(['compact', 'input_tokens'])

export function readCall({ method, url = '' }: IncomingMessage): AiCall {
  const target = url.replace(/^https?:\/\/[^/?#]*/i, '')
  const mark = target.indexOf('?')
  const path = mark < 0 ? target : target.slice(0, mark)
  const query = mark < 0 ? '' : target.slice(mark + 1)
  const words = wordsOf(path)
  if (words === undefined) throw noSuchCall(method, path)
  const name = words.join('/')
  if ((method === 'GET' || method === 'HEAD') && words[0] === 'models')
    return { method: 'GET', path, query, name }
  if (method !== 'POST') throw noSuchCall(method, path)
  if (words[0] === 'models' || namesStored(words)) throw storesSomething(path)
  return { method, path, query, name }
}

function namesStored([first = '', second, ...more]: string[]): boolean {
  if (stored.has(first) || more.length > mostWords - 2) return true
  if (second !== undefined && storedBelow.has(second)) return true
  return first === 'responses' && second !== undefined && !responseCalls.has(second)
}

/** `undefined` for what is not below /v1/, and for paths that a server may read as another path. */
function wordsOf(path: string): string[] | undefined {
  if (!path.startsWith('/v1/') || path.includes('\\') || path.includes('//')) return undefined
  let decoded: string
  try {
    decoded = decodeURIComponent(path)
  } catch {
    return undefined // The path has an invalid percent escape.
  }
  const isOdd = decoded.split(/[/\\]/).some(word => word === '.' || word === '..')
  // Some servers drop what follows a semicolon in a word, so that `..;` is `..` for them. Some decode twice.
  if (isOdd || /[^\x20-\x7e]|[;?#%]/.test(decoded)) return undefined
  const [first = '', ...rest] = path.slice('/v1/'.length).replace(/\/$/, '').split('/')
  // A model's name may hold slashes, escaped or not.
  if (first === 'models') return rest.length === 0 ? [first] : [first, decoded.slice('/v1/models/'.length)]
  return path.includes('%') ? undefined : [first, ...rest]
}

const noSuchCall = (method: string | undefined, path: string): GatewayError =>
  new GatewayError(
    404,
    'unknown_url',
    `There is no ${method} ${path.slice(0, 200)} here. The AI gateway takes OpenAI-compatible calls below /v1/, such as POST /v1/chat/completions and GET /v1/models.`,
  )

const storesSomething = (path: string): GatewayError =>
  new GatewayError(
    404,
    'unknown_url',
    `${path.slice(0, 200)} is not offered: it works with data stored at the AI provider, in the one account that all users of this gateway share. Calls that store nothing are offered, such as POST /v1/chat/completions.`,
  )
