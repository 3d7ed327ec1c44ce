// Issues one certificate: DNS, limits, order, challenge, certificate. After a crash at any step, the next claim continues.
import { randomText } from '../../../lib/ids.ts'
import type { Secret } from '../../../lib/secret.ts'
import {
  type Acme,
  type AcmeAccount,
  AcmeAway,
  AcmeRefusal,
  type Challenge,
} from '../../../ports/acme/port.ts'
import type { Dns01 } from '../../../ports/dns01/port.ts'
import type { Issuing } from '../../base/parts.ts'
import type { CertificateParts, Platform, Vault } from '../../base/platform.ts'
import { spendOrder } from './budget.ts'
import { type CertificateLease, LeaseLost } from './certificate-lease.ts'
import { ask, lookUp, whyNotHere } from './pointing.ts'
import { keyIds, openOrMakeTlsKey, openTlsKey } from './private-keys.ts'

export async function issue(
  platform: CertificateParts,
  issuing: Issuing,
  claim: CertificateLease,
): Promise<void> {
  try {
    await beginOrContinue(platform, issuing, claim)
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error
  }
}

async function beginOrContinue(
  platform: CertificateParts,
  issuing: Issuing,
  claim: CertificateLease,
): Promise<void> {
  const pause = issuing.backoff.activeAt(platform.clock.now())
  if (pause)
    return await claim.wait(
      `The certificate authority is left alone for a while: ${pause.words}`,
      pause.until,
    )
  try {
    const { name, order_url: order } = claim.row
    const key = order === null ? undefined : await openTlsKey(platform, keyIds.order(name))
    if (order !== null && key) await continueOrder(platform, issuing, claim, order, key)
    else await begin(platform, issuing, claim)
  } catch (error) {
    if (error instanceof LeaseLost) throw error
    const words = wordsOf(error)
    if (!(error instanceof AcmeRefusal)) {
      await claim.failed(words, undefined, false)
      throw error
    }
    const isAway = error instanceof AcmeAway
    if (isAway) issuing.backoff.pause(platform.clock.now(), words, error.retryAfter)
    await claim.failed(words, error.retryAfter, isAway)
  }
}

async function begin(platform: CertificateParts, issuing: Issuing, claim: CertificateLease): Promise<void> {
  const { name, domain } = claim.row
  if (domain === null && !issuing.dns01) throw new AcmeRefusal(noDns01)
  if (domain !== null) {
    const trial = { token: `trial-${randomText(16)}`, answer: randomText(32) }
    await claim.answer(trial)
    const why = await whyNotHere(platform, domain, trial)
    if (why !== undefined) return await claim.wait(why)
  }
  const account = await openAccount(platform, issuing.acme)
  const spent = await spendOrder(platform, name)
  if (spent)
    return await claim.wait(`The budget of ${spent.words} is used up; it goes on by itself.`, spent.until)
  const key = await issuing.acme.newKey()
  const order = await account.newOrder(namesOf(claim, platform))
  await claim.ordered(order, key)
  await finish(platform, issuing, claim, account, order, key)
}

async function continueOrder(
  platform: CertificateParts,
  issuing: Issuing,
  claim: CertificateLease,
  order: string,
  key: Secret,
): Promise<void> {
  const account = await openAccount(platform, issuing.acme)
  await finish(platform, issuing, claim, account, order, key)
}

async function finish(
  platform: CertificateParts,
  issuing: Issuing,
  claim: CertificateLease,
  account: AcmeAccount,
  order: string,
  key: Secret,
): Promise<void> {
  const challenges = await account.challenges(order, claim.row.domain === null ? 'dns-01' : 'http-01')
  if (challenges === undefined) {
    await claim.orderSpent()
    return await begin(platform, issuing, claim)
  }
  if (claim.row.domain === null) await proveByDns(platform, issuing.dns01, account, challenges)
  else for (const challenge of challenges) await proveByHttp(platform, claim, account, challenge)
  const chain = await account.finish(order, namesOf(claim, platform), key)
  await claim.issued(chain, key)
}

async function proveByHttp(
  platform: Pick<Platform, 'dns' | 'dnsTarget' | 'httpProbe'>,
  claim: CertificateLease,
  account: AcmeAccount,
  challenge: Challenge,
): Promise<void> {
  await claim.answer(challenge)
  // The authority checks at once, so first wait until the edges answer the challenge.
  const { found } = await lookUp(platform, challenge.name)
  await ask(platform, challenge.name, [...found.a, ...found.aaaa], challenge)
  await account.prove(challenge)
  await claim.answer(null)
}

const noDns01 = 'there is no program that can write DNS records (SVCD_DNS01_HOOK)'
const propagationMs = 120_000
const lookEveryMs = 1_000

/** A domain and its wildcard need two values at the same name, so all records are created before the first is checked. */
async function proveByDns(
  platform: Pick<Platform, 'dns'>,
  dns01: Dns01 | undefined,
  account: AcmeAccount,
  challenges: readonly Challenge[],
): Promise<void> {
  if (!dns01) throw new AcmeRefusal(noDns01)
  const record = ({ name }: Challenge) => `_acme-challenge.${name}`
  try {
    for (const challenge of challenges) await dns01.present(record(challenge), challenge.answer)
    for (const challenge of challenges) await awaitTxt(platform, record(challenge), challenge.answer)
    for (const challenge of challenges) await account.prove(challenge)
  } finally {
    for (const challenge of challenges)
      await dns01.cleanUp(record(challenge), challenge.answer).catch(() => undefined) // A record too many harms nobody.
  }
}

/** A record that is not visible in time is no error, because the authority may use other DNS servers. */
async function awaitTxt({ dns }: Pick<Platform, 'dns'>, name: string, value: string): Promise<void> {
  for (let waited = 0; waited < propagationMs; waited += lookEveryMs) {
    const found = await dns.txt(name).catch((): string[] => []) // No server answered: the next look may have more luck.
    if (found.includes(value)) return
    await new Promise(resolve => setTimeout(resolve, lookEveryMs))
  }
}

async function openAccount(platform: Vault, acme: Acme): Promise<AcmeAccount> {
  const key = await openOrMakeTlsKey(platform, keyIds.account(acme.directory), () => acme.newKey())
  return await acme.account(key)
}

const namesOf = ({ row }: CertificateLease, platform: Pick<Platform, 'domain'>): string[] =>
  row.domain === null ? [platform.domain, row.name] : [row.name]

const wordsOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, 500)
