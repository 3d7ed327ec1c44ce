// The theme: the system's, unless one was chosen. theme.js applies the choice before the first paint.
import { createStore } from './store.ts'

const key = 'svc.theme'
export type Theme = 'system' | 'light' | 'dark'

function chosen(): Theme {
  const stored = localStorage.getItem(key)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

const theme = createStore<Theme>(chosen())
export const useTheme = () => theme.use()

export function chooseTheme(next: Theme): void {
  theme.set(next)
  if (next === 'system') {
    localStorage.removeItem(key)
    delete document.documentElement.dataset.theme
  } else {
    localStorage.setItem(key, next)
    document.documentElement.dataset.theme = next
  }
}
