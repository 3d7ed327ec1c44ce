// Secrets that make this browser a known device of an account: its sign-ins have a rate limit of their own, so that
// strangers who guess at the password cannot lock its owner out here.
const key = 'svc.devices'
const keptAtMost = 5

type Devices = Record<string, string>

function devices(): Devices {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '{}') as Devices
  } catch {
    // The stored text is not valid JSON. The next sign-in replaces it.
    return {}
  }
}

export const deviceSecretOf = (login: string): string | undefined => devices()[login.toLowerCase()]

/** Stays after a sign-out: it signs nobody in. The most recent accounts of this browser are kept. */
export function keepDeviceSecret(login: string, secret: string): void {
  const { [login.toLowerCase()]: _, ...others } = devices()
  const kept = Object.entries(others).slice(1 - keptAtMost)
  localStorage.setItem(key, JSON.stringify(Object.fromEntries([...kept, [login.toLowerCase(), secret]])))
}
