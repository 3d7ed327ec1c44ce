// When a certificate is checked again: for its DNS, after a failure, and for its renewal.
import { dayMs, hourMs, minuteMs, secondMs } from '@svc/contract/durations'
import type { RenewalWindow } from '../../../ports/acme/port.ts'
import type { CertificateKind } from '../../../store/tables.ts'

/** After a tenth of the time it has been waiting: often while someone sets up the DNS, rarely after that. */
export function nextProofCheck(now: number, waitingSince: number): number {
  return now + clamp((now - waitingSince) / 10, 15 * secondMs, hourMs)
}

/**
 * Half a minute after the first failure, which is often a hiccup of a network. Then five minutes, doubled after each failure, up to
 * a day: five tries in the first hour, as many as Let's Encrypt allows to fail. Longer if the authority asks for it, up to a week.
 */
export function nextTry(now: number, failures: number, retryAfter = 0): number {
  const ours = failures <= 1 ? 30 * secondMs : Math.min(5 * minuteMs * 2 ** (failures - 2), dayMs)
  return now + Math.max(ours, Math.min(retryAfter, 7 * dayMs))
}

/**
 * When a third of its lifetime is left, a little earlier depending on the name, so that certificates issued together are not
 * renewed together. Never at once, because a wrong clock must not cause one order after another.
 */
export function renewalOf(name: string, now: number, life: { from: number; to: number }): number {
  const length = life.to - life.from
  const renewal = life.to - length / 3 - (length / 100) * fractionOf(name)
  return Math.max(Math.floor(renewal), now + hourMs)
}

/**
 * Within the window that the authority names, but a day after it was issued at the earliest, and while a tenth of its lifetime is
 * left. Never at once. So no authority can cause one order after another, or let a certificate expire.
 */
export function renewalIn(
  name: string,
  now: number,
  { window, from, to }: { window: RenewalWindow; from: number; to: number },
): number {
  const wanted = window.start + (window.end - window.start) * fractionOf(name)
  const latest = to - (to - from) / 10
  return Math.floor(Math.max(Math.min(wanted, latest), from + dayMs, now + hourMs))
}

/** Hosts that share a certificate are renewed together. */
export const sharesRenewal = (kind: CertificateKind): boolean => kind === 'platform' || kind === 'project'

/** When a certificate that is not renewed is deleted: a day before it expires, so that no visitor sees an expired one. */
export const endOf = (now: number, life: { to: number }): number => Math.max(life.to - dayMs, now + hourMs)

/** A number from 0 to 1 that depends only on the name. */
function fractionOf(name: string): number {
  let sum = 0
  for (const character of name) sum = (sum * 31 + character.codePointAt(0)!) % 997
  return sum / 997
}

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most)
