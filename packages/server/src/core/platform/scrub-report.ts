// What the scrub found, for `svcd doctor`, the operator area and the metrics.
import { formatBytes } from '@svc/contract/bytes'
import { storedAmong } from '../../store/deployments/stored.ts'
import { listDamaged, listScrubs } from '../../store/platform/scrubs.ts'
import type { DamagedPackRow, ScrubRow } from '../../store/tables.ts'
import type { Platform } from '../base/platform.ts'
import { ageInWords, CheckFailure } from './checks.ts'
import { deploymentOf } from './recovery.ts'

const listedAtMost = 1_000
const namedAtMost = 5

interface ScrubReport {
  places: ScrubRow[]
  damaged: DamagedPackRow[]
}

/** Packs of deployments that were deleted meanwhile are left out. */
export async function scrubReport({ store }: Pick<Platform, 'store'>): Promise<ScrubReport> {
  const [places, found] = await Promise.all([listScrubs(store.db), listDamaged(store.db, listedAtMost)])
  const kept = await storedAmong(store.db, [...new Set(found.map(row => deploymentOf(row.pack_id)))])
  return { places, damaged: found.filter(row => kept.has(deploymentOf(row.pack_id))) }
}

/** Returns a line about the last readings, or throws an error that names what is damaged. */
export async function checkScrub(platform: Pick<Platform, 'clock' | 'store'>): Promise<string> {
  const { places, damaged } = await scrubReport(platform)
  if (damaged.length > 0) {
    const named = damaged.slice(0, namedAtMost).map(row => describeDamage(places, row))
    const more = damaged.length > namedAtMost ? `, and ${damaged.length - namedAtMost} more` : ''
    throw new CheckFailure(
      `damaged: ${named.join(', ')}${more}`,
      'Deploy them again, or restore a backup. If files change by themselves, check the disk and the memory of that machine',
    )
  }
  if (places.length === 0) return 'has not begun yet: svcd starts it ten minutes after its own start'
  return places.map(row => describePlace(row, platform.clock.now())).join('; ')
}

const nameOf = ({ place, host }: Pick<ScrubRow, 'place' | 'host'>): string =>
  place === 'storage' ? 'the shared storage' : `the disk of ${host}`

function describeDamage(places: readonly ScrubRow[], { place, pack_id, damage }: DamagedPackRow): string {
  const row = places.find(known => known.place === place)
  return `${pack_id} on ${row ? nameOf(row) : place} (${damage})`
}

function describePlace(row: ScrubRow, now: number): string {
  const name = nameOf(row)
  const repaired = Number(row.repaired) > 0 ? `, ${row.repaired} damaged copies were replaced so far` : ''
  const current =
    row.began_at === null
      ? ''
      : `, now reading: ${row.packs} packs, ${formatBytes(Number(row.bytes))} since ${ageInWords(now - Number(row.began_at))} ago`
  if (row.ended_at === null) return `${name} was not read to the end yet${current}${repaired}`
  const read = `${row.last_packs} packs, ${formatBytes(Number(row.last_bytes))}`
  return `${name} was read ${ageInWords(now - Number(row.ended_at))} ago: ${read}, nothing damaged${current}${repaired}`
}
