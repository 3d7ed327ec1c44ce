// Reads the token counts of an answer from its `usage` object. Providers use different names for the same counts.

export interface TokenCounts {
  /** Includes cached tokens. */
  prompt: number
  cached: number
  completion: number
}

export const noTokens: TokenCounts = { prompt: 0, cached: 0, completion: 0 }

/** More tokens than any model accepts. A larger count is an error of the provider. */
const mostTokens = 1_000_000_000

/** Each pair: the name in chat completions, completions and embeddings; the name in the Responses API, images and audio. */
const names = {
  prompt: ['prompt_tokens', 'input_tokens'],
  completion: ['completion_tokens', 'output_tokens'],
  details: ['prompt_tokens_details', 'input_tokens_details'],
} as const

/** `undefined` if there are no counts. `before` has the counts of an earlier event of the same answer. */
export function readUsage(usage: unknown, before?: TokenCounts): TokenCounts | undefined {
  if (!isRecord(usage)) return before
  const prompt = firstCount(usage, names.prompt)
  const completion = firstCount(usage, names.completion)
  if (prompt === undefined && completion === undefined) return before
  const details = names.details.map(name => usage[name]).find(isRecord)
  const all = prompt ?? before?.prompt ?? 0
  const cached = details ? count(details.cached_tokens) : undefined
  return {
    prompt: all,
    cached: Math.min(all, cached ?? before?.cached ?? 0),
    completion: completion ?? before?.completion ?? 0,
  }
}

const firstCount = (usage: Record<string, unknown>, of: readonly string[]): number | undefined =>
  of.map(name => count(usage[name])).find(found => found !== undefined)

const count = (value: unknown): number | undefined =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= mostTokens ? Number(value) : undefined

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
