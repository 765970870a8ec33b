/** A way past what repeats on every page, shown once it has the focus. `to` is the id of something that can take it. */
export function SkipLink({ to, children }: { to: string; children: string }) {
  return (
    <a className="skip-link" href={`#${to}`}>
      {children}
    </a>
  );
}
