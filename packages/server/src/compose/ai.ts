// Opens the AI gateway: reads the files of providers and prices and reports errors in them.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { z } from 'zod'
import { createAiGateway } from '../api/ai/gateway.ts'
import type { HttpHandler } from '../api/server.ts'
import { SettingError, type Settings, variableOf } from '../config.ts'
import { Prices } from '../core/ai/prices.ts'
import { type AiUpstream, readUpstreams, singleUpstream } from '../core/ai/upstreams.ts'
import type { Platform } from '../core/base/platform.ts'
import { programFile } from '../program-files.ts'

const builtInPrices = fileURLToPath(programFile('../ai-prices.json'))
const connectMs = 10_000
const MB = 1024 * 1024

export function openAiGateway(platform: Platform, settings: Settings, log: Logger): HttpHandler {
  return createAiGateway({
    platform,
    log,
    ...readAiFiles(settings),
    bodyBytes: settings.aiMaxBodyMb * MB,
    limits: {
      tokenPerMinute: settings.aiTokenRpm,
      ownerPerMinute: settings.aiOwnerRpm,
      ownerAtOnce: settings.aiMaxRequests,
    },
    times: {
      connect: connectMs,
      answer: settings.aiAnswerSeconds * 1000,
      silence: settings.aiSilenceSeconds * 1000,
      total: settings.aiTotalSeconds * 1000,
    },
  })
}

/** Throws a SettingError if a file is missing or invalid. */
export const readAiFiles = (settings: Settings): { upstreams: AiUpstream[]; prices: Prices } => ({
  upstreams: upstreamsOf(settings),
  prices: pricesOf(settings),
})

function upstreamsOf(settings: Settings): AiUpstream[] {
  const { aiUpstream, aiKey, aiUpstreamsFile: file } = settings
  if (file === undefined) {
    if (aiUpstream === undefined && aiKey !== undefined)
      throw new SettingError('SVCD_AI_UPSTREAM', 'is missing: there is a key, and no provider that it is for')
    if (aiUpstream === undefined) return []
    return checked('SVCD_AI_UPSTREAM', undefined, () => [singleUpstream(aiUpstream, aiKey)])
  }
  if (aiUpstream !== undefined || aiKey !== undefined)
    throw new SettingError(
      'SVCD_AI_UPSTREAMS_FILE',
      'replaces SVCD_AI_UPSTREAM and SVCD_AI_KEY; set the file or these two',
    )
  return checked('SVCD_AI_UPSTREAMS_FILE', file, () =>
    readUpstreams(readJson(file), name => variableOf(settings, name)),
  )
}

function pricesOf({ aiPricesFile: file }: Settings): Prices {
  if (file === undefined) return new Prices(readJson(builtInPrices))
  return checked('SVCD_AI_PRICES_FILE', file, () => new Prices(readJson(file)))
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'))

function checked<T>(setting: string, file: string | undefined, read: () => T): T {
  try {
    return read()
  } catch (error) {
    const where = file === undefined ? '' : `names ${file}: `
    throw new SettingError(setting, `${where}${wordsOf(error)}`)
  }
}

/** The message of the JSON parser is not used, because it quotes the text, which may contain a key. */
function wordsOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'the file is not JSON'
  if (!(error instanceof z.ZodError)) return (error as Error).message
  return error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`).join('; ')
}
