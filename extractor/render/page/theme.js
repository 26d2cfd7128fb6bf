// Light and dark: the reader's system decides until the button says otherwise.

/** Wires the theme button; `changed` is called whenever colours change. */
export function wireTheme(button, changed) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const say = () => {
    button.setAttribute("aria-pressed", String(dark()));
    button.textContent = dark() ? "Light" : "Dark";
  };
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    say();
    changed();
  });
  system.addEventListener("change", () => {
    say();
    changed();
  });
  say();
}
