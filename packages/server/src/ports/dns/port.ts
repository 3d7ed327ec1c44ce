// The public DNS, as far as it concerns where a name points.
export interface DnsRecords {
  /** Where the name is an alias: of what, one after the other. */
  cname: string[]
  /** Addresses, through aliases. */
  a: string[]
  aaaa: string[]
}

export interface Dns {
  /** Nothing found is empty lists; throws only where no server answers. */
  records(name: string): Promise<DnsRecords>
  txt(name: string): Promise<string[]>
}

/** Where a name leads from this machine. None is an empty list; rejects if no server answers. */
export type AddressLookup = (name: string) => Promise<string[]>
