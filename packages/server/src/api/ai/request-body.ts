// What the gateway reads in a request before it passes it on: the model, whether the answer is streamed, and how many
// tokens to expect. The body goes on byte for byte, but for two fields: `stream_options`, which asks for token counts, and `store`.
import { setImmediate } from 'node:timers/promises'
import type { TokenCounts } from '../../core/ai/token-counts.ts'
import { JsonScan } from '../../lib/json-scan.ts'
import type { AiCall } from './calls.ts'
import { GatewayError } from './errors.ts'
import { multipartFields } from './multipart.ts'
import { storedIdIn } from './stored-ids.ts'

export interface AskedFor {
  /** The model that the request names. Empty if it names none. */
  model: string
  /** The tokens that the request is expected to use, estimated before the provider answers. */
  estimate: TokenCounts
  /** True if the answer has token counts only if the gateway asks for them. */
  needsUsageOption: boolean
  /** The body for the provider, with that option or without. */
  bodyFor(withUsage: boolean): Buffer
}

const lengths = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'] as const
const choices = ['n', 'best_of'] as const
const storedIds = ['previous_response_id', 'conversation'] as const
const wanted = [
  ...['model', 'stream', 'stream_options', 'background', 'store', 'prompt'],
  ...[...lengths, ...choices, ...storedIds],
]

/** The provider stores the answers of these calls unless the request says no. */
const storesByDefault = new Set(['responses'])

/** Calls whose streamed answers contain token counts only if the request asks for them. */
const countsOnWish = new Set(['chat/completions', 'completions'])

/** A name is shown, stored and compared, so it must be printable ASCII. All known names are. */
const modelName = /^[\x20-\x7e]{1,200}$/
const bytesPerToken = 4
const scannedAtOnce = 512 * 1024
const usualAnswer = 1_000
const mostTokens = 100_000_000
const openBrace = 123

export async function readAskedFor(call: AiCall, contentType: string, body: Buffer): Promise<AskedFor> {
  const type = contentType.split(';')[0]!.trim().toLowerCase()
  if (type === 'multipart/form-data') return readForm(contentType, body)
  if (type === '' || type === 'application/json' || type.endsWith('+json')) return await readJson(call, body)
  throw new GatewayError(
    415,
    'unsupported_media_type',
    `The content type must be application/json or multipart/form-data, not '${type.slice(0, 100)}'.`,
  )
}

async function readJson(call: AiCall, body: Buffer): Promise<AskedFor> {
  const scan = await scanned(body)
  if (!scan.isObject || scan.rootEnd === undefined || scan.hasMore)
    throw invalid('The body is not a JSON object.')
  if (scan.ambiguous !== undefined)
    throw invalid(`'${scan.ambiguous}' is there twice, or not in lower case. Write it once.`, scan.ambiguous)
  if (scan.read('background') === true)
    throw invalid(
      'background: is not offered, since its answer would be stored at the AI provider. Use stream instead.',
      'background',
    )
  await refuseStoredIds(scan, body)
  const model = scan.get('model') === undefined ? '' : checkModel(scan.read('model'))
  const mayStream = scan.read('stream') === true && countsOnWish.has(call.name)
  const unstored = withoutStoring(call, scan)
  return {
    model,
    estimate: { prompt: textTokens(body), cached: 0, completion: answerTokens(scan) },
    needsUsageOption: mayStream && !asksForUsage(scan),
    bodyFor: withUsage => edited(body, scan, { ...unstored, ...(withUsage && usageOption(scan)) }),
  }
}

/** What is stored belongs to the account of the operator, which all users of the gateway share. */
async function refuseStoredIds(scan: JsonScan, body: Buffer): Promise<void> {
  const isGiven = (name: string) => scan.get(name) !== undefined && scan.get(name)?.json !== 'null'
  const prompt = scan.get('prompt')
  const isTemplate = prompt !== undefined && body[prompt.start] === openBrace
  const name = storedIds.find(isGiven) ?? (isTemplate ? 'prompt' : await storedIdIn(body))
  if (name !== undefined)
    throw invalid(
      `${name}: is not offered, since it names something that is stored at the AI provider, in the one account that all users of this gateway share. Send the whole conversation and the files themselves with each request.`,
      name,
    )
}

/** Scans the body in parts, and lets other requests run between them. */
async function scanned(body: Buffer): Promise<JsonScan> {
  const scan = new JsonScan(wanted)
  for (let at = 0; at < body.length; at += scannedAtOnce) {
    if (at > 0) await setImmediate()
    scan.push(body.subarray(at, at + scannedAtOnce))
  }
  return scan
}

function readForm(contentType: string, body: Buffer): AskedFor {
  const models = multipartFields(body, contentType, ['model'])?.get('model') ?? []
  if (models.length > 1) throw invalid("'model' is there twice. Write it once.", 'model')
  const model = models.length === 0 ? '' : checkModel(models[0])
  const estimate = { prompt: 0, cached: 0, completion: usualAnswer }
  return { model, estimate, needsUsageOption: false, bodyFor: () => body }
}

function checkModel(model: unknown): string {
  if (typeof model === 'string' && modelName.test(model)) return model
  throw invalid('model: must be a name of 1 to 200 printable ASCII characters.', 'model')
}

/** Each of the `n` answers may be as long as the limit says. */
function answerTokens(scan: JsonScan): number {
  const length = largest(scan, lengths) ?? usualAnswer
  return Math.min(mostTokens, length * Math.max(1, largest(scan, choices) ?? 1))
}

function largest(scan: JsonScan, names: readonly string[]): number | undefined {
  const given = names.map(name => scan.read(name)).filter(value => Number.isSafeInteger(value)) as number[]
  return given.length === 0 ? undefined : Math.min(mostTokens, Math.max(0, ...given))
}

const asksForUsage = (scan: JsonScan): boolean =>
  (scan.read('stream_options') as { include_usage?: unknown } | null | undefined)?.include_usage === true

/** Fields of the body that the gateway sets, as JSON. */
type Fields = Record<string, string>

/** The provider stores nothing, whatever the request says. */
function withoutStoring(call: AiCall, scan: JsonScan): Fields {
  const isSet = scan.get('store') !== undefined
  if (isSet ? scan.read('store') === false : !storesByDefault.has(call.name)) return {}
  return { store: 'false' }
}

function usageOption(scan: JsonScan): Fields {
  const options = scan.read('stream_options')
  const hasOptions = scan.get('stream_options') !== undefined
  // The provider refuses options that are not an object.
  if (hasOptions && options !== null && (typeof options !== 'object' || Array.isArray(options))) return {}
  return { stream_options: JSON.stringify({ ...(options as object | null), include_usage: true }) }
}

/** Sets the fields, those that are not there at the end of the object. All other bytes stay. */
function edited(body: Buffer, scan: JsonScan, fields: Fields): Buffer {
  const edits = Object.entries(fields).map(([name, json]) => {
    const there = scan.get(name)
    if (there) return { start: there.start, end: there.end, text: json }
    return { start: scan.rootEnd!, end: scan.rootEnd!, text: `,"${name}":${json}` }
  })
  if (edits.length === 0) return body
  edits.sort((a, b) => a.start - b.start)
  const parts: Buffer[] = []
  let from = 0
  for (const { start, end, text } of edits) {
    const before = body.subarray(from, start)
    parts.push(before, Buffer.from(isEmptyBefore(body, start) ? text.slice(1) : text))
    from = end
  }
  return Buffer.concat([...parts, body.subarray(from)])
}

/** Whether the object has no field before this position. */
const isEmptyBefore = (body: Buffer, at: number): boolean =>
  body
    .toString('latin1', Math.max(0, at - 1_000), at)
    .trimEnd()
    .endsWith('{')

/** Estimates the tokens of a body: four bytes are one token. `data:` URLs (images, sounds) do not count. */
function textTokens(body: Buffer): number {
  let bytes = body.length
  for (let at = body.indexOf('"data:'); at >= 0; at = body.indexOf('"data:', at)) {
    const end = body.indexOf('"', at + 1)
    const to = end < 0 ? body.length : end
    bytes -= to - at
    at = to
  }
  return Math.ceil(bytes / bytesPerToken)
}

const invalid = (message: string, param?: string): GatewayError =>
  new GatewayError(400, 'invalid_request', message, { param })
