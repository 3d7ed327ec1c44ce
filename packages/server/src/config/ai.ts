// The settings of the AI gateway.
import type { Secret } from '../lib/secret.ts'
import { type Source, secret, text, url, whole } from './values.ts'

export interface AiSettings {
  /** One provider for every model. */
  aiUpstream: string | undefined
  aiKey: Secret | undefined
  /** Several providers, by the models' names. */
  aiUpstreamsFile: string | undefined
  /** An operator's own prices; undefined: the built-in ones. */
  aiPricesFile: string | undefined
  aiMaxBodyMb: number
  /** How long a provider may take until its answer begins, be silent within it, and take in all. */
  aiAnswerSeconds: number
  aiSilenceSeconds: number
  aiTotalSeconds: number
  /** Requests a minute, with one token and of one owner. */
  aiTokenRpm: number
  aiOwnerRpm: number
  /** Requests of one owner under way at a time. */
  aiMaxRequests: number
}

export const aiSettings = (source: Source): AiSettings => ({
  aiUpstream: url(source, 'SVCD_AI_UPSTREAM', ['https:', 'http:'])?.reveal(),
  aiKey: secret(source, 'SVCD_AI_KEY'),
  aiUpstreamsFile: text(source, 'SVCD_AI_UPSTREAMS_FILE', '') || undefined,
  aiPricesFile: text(source, 'SVCD_AI_PRICES_FILE', '') || undefined,
  aiMaxBodyMb: whole(source, 'SVCD_AI_MAX_BODY_MB', 25, 1, 1024),
  aiAnswerSeconds: whole(source, 'SVCD_AI_ANSWER_SECONDS', 540, 1, 86_400),
  aiSilenceSeconds: whole(source, 'SVCD_AI_SILENCE_SECONDS', 300, 1, 86_400),
  aiTotalSeconds: whole(source, 'SVCD_AI_TOTAL_SECONDS', 3600, 1, 86_400),
  aiTokenRpm: whole(source, 'SVCD_AI_TOKEN_RPM', 600, 1, 10_000_000),
  aiOwnerRpm: whole(source, 'SVCD_AI_OWNER_RPM', 1_200, 1, 10_000_000),
  aiMaxRequests: whole(source, 'SVCD_AI_MAX_REQUESTS', 200, 1, 100_000),
})
