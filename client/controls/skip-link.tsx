/** A link that is visible only while focused. `to` is the id of a focusable element. */
export function SkipLink({ to, children }: { to: string; children: string }) {
  return (
    <a className="button skip-link" href={`#${to}`}>
      {children}
    </a>
  );
}
