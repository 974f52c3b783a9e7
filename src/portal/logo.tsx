/** The logo: three matches, one of them lit. */

export function Logo() {
  return (
    <svg className="logo" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <path className="logo-stick" d="M4 9v9M10 9v9M16 9v9" />
      <circle className="logo-head" cx="4" cy="7" r="2.2" />
      <circle className="logo-head" cx="16" cy="7" r="2.2" />
      <path
        className="logo-flame"
        d="M10 0c2.2 2.6 3.4 4.3 3.4 6a3.4 3.4 0 1 1-6.8 0C6.6 4.3 7.8 2.6 10 0z"
      />
    </svg>
  );
}
