import { chooseTheme, type Theme, useTheme } from '../theme.ts'
import { IconButton } from './button.tsx'
import type { IconName } from './icon.tsx'

const turns: Record<Theme, { next: Theme; icon: IconName; label: string }> = {
  system: { next: 'light', icon: 'screen', label: 'Theme: system. Change to light' },
  light: { next: 'dark', icon: 'sun', label: 'Theme: light. Change to dark' },
  dark: { next: 'system', icon: 'moon', label: 'Theme: dark. Change to system' },
}

export function ThemeButton() {
  const { next, icon, label } = turns[useTheme()]
  return <IconButton icon={icon} label={label} onClick={() => chooseTheme(next)} />
}
