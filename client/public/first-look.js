// Runs before anything is drawn: nobody who has set a theme sees the other one first. What reads the settings comes later.
try {
  const { theme } = JSON.parse(localStorage.getItem('advisory-chat:settings')) ?? {};
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage is denied, or holds something else: the theme is the system's.
}
