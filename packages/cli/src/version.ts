// The version of svc. The entry point sets it, because only that reads package.json.
let known = '0.0.0'

export const version = (): string => known

export function setVersion(version: string): void {
  known = version
}
