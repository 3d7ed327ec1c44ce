// Writes and removes TXT records in the platform's DNS zone, for DNS-01 challenges.
export interface Dns01 {
  present(name: string, value: string): Promise<void>
  cleanUp(name: string, value: string): Promise<void>
}
