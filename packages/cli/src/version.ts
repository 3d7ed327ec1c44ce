// The version of the tool, told by the front door, which alone reads the package metadata.
let known = '0.0.0'

export const version = (): string => known

export function setVersion(version: string): void {
  known = version
}
