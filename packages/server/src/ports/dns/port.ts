// Queries to the public DNS: where a name points, and its TXT records.
export interface DnsRecords {
  /** The chain of aliases that begins at the name. */
  cname: string[]
  /** The addresses of the name, or of the name at the end of the chain. */
  a: string[]
  aaaa: string[]
}

export interface Dns {
  /** Empty lists if there are no records. Rejects only if no server answers. */
  records(name: string): Promise<DnsRecords>
  txt(name: string): Promise<string[]>
}

/** The addresses of a name, as this machine sees it. Empty if there are none. Rejects if no server answers. */
export type AddressLookup = (name: string) => Promise<string[]>
