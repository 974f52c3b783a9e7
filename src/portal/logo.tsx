/** In charge of the mark: three matches of a book, one of them lit. */

export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <path className="mark-stick" d="M4 9v9M10 9v9M16 9v9" />
      <circle className="mark-head" cx="4" cy="7" r="2.2" />
      <circle className="mark-head" cx="16" cy="7" r="2.2" />
      <path
        className="mark-flame"
        d="M10 0c2.2 2.6 3.4 4.3 3.4 6a3.4 3.4 0 1 1-6.8 0C6.6 4.3 7.8 2.6 10 0z"
      />
    </svg>
  );
}
