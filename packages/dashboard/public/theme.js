// Applies the theme chosen earlier before the first paint, so that the page does not flash.
try {
  const theme = localStorage.getItem('svc.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage is blocked: the system's preference applies.
}
