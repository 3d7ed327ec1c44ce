// Finds the country of an IP address without asking another server.

export interface GeoIp {
  /** The ISO 3166-1 alpha-2 code. `undefined` for private addresses and those that are not in the database. */
  country(address: string): Promise<string | undefined>
  close(): void
}
