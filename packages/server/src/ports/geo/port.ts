// Where an address is, as far as its country; asked of nobody outside.

export interface GeoIp {
  /** ISO 3166-1 alpha-2. `undefined` if nobody knows: private addresses, gaps of the database. */
  country(address: string): Promise<string | undefined>
  close(): void
}

/** Where there is no database. */
export const nowhere: GeoIp = { country: async () => undefined, close: () => undefined }
