// Settings of the AI gateway.
import * as kind from './kinds.ts'
import { setting, unset } from './setting.ts'

export const aiSettings = {
  aiUpstream: setting(
    'SVCD_AI_UPSTREAM',
    kind.webUrl,
    unset('none: the [AI gateway](ai.md#for-operators) answers 503'),
    'the AI provider, such as `https://api.openai.com/v1`',
  ),
  aiKey: setting('SVCD_AI_KEY', kind.secret, unset(), 'the key for it'),
  aiUpstreamsFile: setting(
    'SVCD_AI_UPSTREAMS_FILE',
    kind.file,
    unset(),
    'several AI providers, instead of the two above',
  ),
  aiPricesFile: setting('SVCD_AI_PRICES_FILE', kind.file, unset('the built-in list'), 'what AI models cost'),
  aiMaxBodyMb: setting(
    'SVCD_AI_MAX_BODY_MB',
    kind.whole(1, 1024),
    25,
    'a larger request to the AI gateway is 413',
  ),
  aiAnswerSeconds: setting(
    'SVCD_AI_ANSWER_SECONDS',
    kind.whole(1, 86_400),
    540,
    'how long an AI provider may take until its answer begins; then 504',
  ),
  aiSilenceSeconds: setting(
    'SVCD_AI_SILENCE_SECONDS',
    kind.whole(1, 86_400),
    300,
    'how long it may be silent within the answer',
  ),
  aiTotalSeconds: setting(
    'SVCD_AI_TOTAL_SECONDS',
    kind.whole(1, 86_400),
    3600,
    'how long it may take in all',
  ),
  aiTokenRpm: setting(
    'SVCD_AI_TOKEN_RPM',
    kind.whole(1, 10_000_000),
    600,
    'requests to the AI gateway a minute with one token; more are 429',
  ),
  aiOwnerRpm: setting(
    'SVCD_AI_OWNER_RPM',
    kind.whole(1, 10_000_000),
    1_200,
    'requests to the AI gateway a minute of one owner; more are 429',
  ),
  aiMaxRequests: setting(
    'SVCD_AI_MAX_REQUESTS',
    kind.whole(1, 100_000),
    200,
    'requests of one owner to the AI gateway under way at a time; more are 429',
  ),
}
