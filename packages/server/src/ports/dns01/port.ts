// Whoever can write TXT records of the platform's zone.
export interface Dns01 {
  present(name: string, value: string): Promise<void>
  cleanUp(name: string, value: string): Promise<void>
}
