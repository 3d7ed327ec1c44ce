// The projects whose next steps were hidden in this browser, the newest last.
const key = 'svc.hidden-steps'
const atMost = 200

function hidden(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(stored) ? stored.filter(name => typeof name === 'string') : []
  } catch {
    return []
  }
}

export const isHidden = (name: string): boolean => hidden().includes(name)

export function hide(name: string): void {
  localStorage.setItem(key, JSON.stringify([...hidden(), name].slice(-atMost)))
}
