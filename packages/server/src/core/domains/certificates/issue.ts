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
import { ownersAmong } from '../../../store/domains/host-certificates.ts'
import type { Issuing } from '../../base/parts.ts'
import type { CertificateParts, Platform, Vault } from '../../base/platform.ts'
import { type OrderedName, spendOrder } from './budget.ts'
import { type CertificateLease, LeaseLost, writeTogether } from './certificate-lease.ts'
import { answersByTls, ask, lookUp, whyNotHere } from './pointing.ts'
import { keyIds, openOrMakeTlsKey, openTlsKey } from './private-keys.ts'

/** Issues one certificate for the names of all leases, which are one custom domain, the wildcard, or some hosts. */
export async function issue(
  platform: CertificateParts,
  issuing: Issuing,
  leases: readonly CertificateLease[],
): Promise<void> {
  try {
    await beginOrContinue(platform, issuing, leases)
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error
    // The order has a name too many. The others get another one.
    await onEach(leases, lease => lease.release())
  }
}

/** Of some leases, one may be lost. That keeps none of the others from what is to be written. */
async function onEach(
  leases: readonly CertificateLease[],
  write: (lease: CertificateLease) => Promise<void>,
): Promise<void> {
  for (const lease of leases)
    await write(lease).catch(error => {
      if (!(error instanceof LeaseLost)) throw error
    })
}

async function beginOrContinue(
  platform: CertificateParts,
  issuing: Issuing,
  leases: readonly CertificateLease[],
): Promise<void> {
  const pause = issuing.backoff.activeAt(platform.clock.now())
  if (pause) {
    const words = `The certificate authority is left alone for a while: ${pause.words}`
    return await onEach(leases, lease => lease.wait(words, pause.until))
  }
  const [first] = leases
  if (first === undefined) return
  try {
    const { name, order_url: order } = first.row
    const key = order === null ? undefined : await openTlsKey(platform, keyIds.order(name))
    if (order === null || !key) return await begin(platform, issuing, leases)
    const account = await openAccount(platform, issuing.acme)
    await finish(platform, issuing, leases, { account, url: order, key })
  } catch (error) {
    if (error instanceof LeaseLost) throw error
    const words = wordsOf(error)
    const isRefusal = error instanceof AcmeRefusal
    const isAway = error instanceof AcmeAway
    if (isAway) issuing.backoff.pause(platform.clock.now(), words, error.retryAfter)
    const retryAfter = isRefusal ? error.retryAfter : undefined
    await onEach(leases, lease => lease.failed(words, retryAfter, isAway))
    if (!isRefusal) throw error
  }
}

async function begin(
  platform: CertificateParts,
  issuing: Issuing,
  leases: readonly CertificateLease[],
): Promise<void> {
  const here = await pointingHere(platform, issuing, leases)
  if (here.length === 0) return
  const account = await openAccount(platform, issuing.acme)
  const spent = await spendOrder(platform, await orderedNames(platform, here))
  const ordered: CertificateLease[] = []
  for (const lease of here) {
    const limit = spent.get(lease.row.name)
    if (limit === undefined) ordered.push(lease)
    else await lease.wait(`The budget of ${limit.words} is used up; it goes on by itself.`, limit.until)
  }
  if (ordered.length === 0) return
  const key = await issuing.acme.newKey()
  const replaced = ordered.find(({ row }) => row.chain !== null)?.row.chain
  const url = await account.newOrder(namesOf(ordered, platform), replaced)
  await writeTogether(platform, ordered, lease => lease.ordered(url, key))
  await finish(platform, issuing, ordered, { account, url, key })
}

/** The leases whose names lead here. The others wait. */
async function pointingHere(
  platform: CertificateParts,
  issuing: Issuing,
  leases: readonly CertificateLease[],
): Promise<CertificateLease[]> {
  const looked = await Promise.all(
    leases.map(async lease => {
      if (lease.kind === 'wildcard') {
        if (!issuing.dns01) throw new AcmeRefusal(noDns01)
        return [lease]
      }
      const trial = { token: `trial-${randomText(16)}`, answer: randomText(32) }
      await lease.answer(trial)
      const why = await whyNotHere(platform, lease.row.name, trial)
      if (why === undefined) return [lease]
      await lease.wait(why)
      return []
    }),
  )
  return looked.flat()
}

async function orderedNames(
  platform: Pick<Platform, 'store'>,
  leases: readonly CertificateLease[],
): Promise<OrderedName[]> {
  const projects = leases.flatMap(({ row }) => row.project_id ?? [])
  const owners = await ownersAmong(platform.store.db, projects)
  return leases.map(({ row, kind }) => ({
    name: row.name,
    kind,
    owner: owners.get(row.project_id ?? '')?.owner,
  }))
}

interface Order {
  account: AcmeAccount
  url: string
  key: Secret
}

async function finish(
  platform: CertificateParts,
  issuing: Issuing,
  leases: readonly CertificateLease[],
  { account, url, key }: Order,
): Promise<void> {
  const isWildcard = leases.some(({ kind }) => kind === 'wildcard')
  const challenges = await account.challenges(url, isWildcard ? 'dns-01' : 'http-01')
  const leaseOf = ({ name }: Challenge) => leases.find(({ row }) => row.name === name)
  const isUsable = isWildcard || challenges?.every(challenge => leaseOf(challenge) !== undefined)
  if (challenges === undefined || !isUsable) {
    for (const lease of leases) await lease.orderSpent()
    return await begin(platform, issuing, leases)
  }
  if (isWildcard) await proveByDns(platform, issuing.dns01, account, challenges)
  else {
    const pairs = challenges.map(challenge => ({ challenge, lease: leaseOf(challenge)! }))
    if (!(await proveTogether(platform, leases, { account, url }, pairs))) return
  }
  const chain = await account.finish(url, key)
  await writeTogether(platform, leases, lease => lease.issued(chain, key))
}

/** Returns false if the authority does not accept some of the names. Those failed, and the others are given back. */
async function proveTogether(
  platform: Probes,
  leases: readonly CertificateLease[],
  order: { account: AcmeAccount; url: string },
  pairs: readonly { challenge: Challenge; lease: CertificateLease }[],
): Promise<boolean> {
  const failed = new Map<CertificateLease, AcmeRefusal>()
  const proofs = pairs.map(async ({ challenge, lease }) => {
    try {
      await proveHere(platform, lease, order, challenge)
    } catch (error) {
      if (!(error instanceof AcmeRefusal) || error instanceof AcmeAway) throw error
      failed.set(lease, error)
    }
  })
  // All come to their end before an error is passed on, so that nothing is written after it.
  for (const ended of await Promise.allSettled(proofs)) if (ended.status === 'rejected') throw ended.reason
  if (failed.size === 0) return true
  await onEach(leases, lease => {
    const refusal = failed.get(lease)
    return refusal ? lease.failed(wordsOf(refusal), refusal.retryAfter, false) : lease.release()
  })
  return false
}

type Probes = Pick<Platform, 'alpnProbe' | 'dns' | 'dnsTarget' | 'httpProbe'>

/** By HTTP. If that does not come through, as where port 80 is closed, by TLS. */
async function proveHere(
  platform: Probes,
  claim: CertificateLease,
  { account, url }: { account: AcmeAccount; url: string },
  byHttp: Challenge,
): Promise<void> {
  const { name } = byHttp
  await claim.answer(byHttp)
  // The authority checks at once, so first wait until the edges answer the challenge.
  const { found } = await lookUp(platform, name)
  const addresses = [...found.a, ...found.aaaa]
  const isOurs = (await ask(platform, name, addresses, byHttp)) === 'ours'
  const byTls = isOurs ? undefined : await challengeByTls(account, url, name)
  if (byTls) await claim.answer(byTls)
  const isTls = byTls !== undefined && (await answersByTls(platform, name, addresses, byTls))
  if (byTls && !isTls) await claim.answer(byHttp)
  await account.prove(byTls && isTls ? byTls : byHttp)
  await claim.answer(null)
}

/** `undefined` if the authority has no such challenge. */
async function challengeByTls(
  account: AcmeAccount,
  order: string,
  name: string,
): Promise<Challenge | undefined> {
  try {
    const challenges = await account.challenges(order, 'tls-alpn-01')
    return challenges?.find(challenge => challenge.name === name)
  } catch (error) {
    if (error instanceof AcmeRefusal && !(error instanceof AcmeAway)) return undefined
    throw error
  }
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

const namesOf = (leases: readonly CertificateLease[], { domain }: Pick<Platform, 'domain'>): string[] =>
  leases.flatMap(({ row, kind }) => (kind === 'wildcard' ? [domain, row.name] : [row.name]))

const wordsOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, 500)
