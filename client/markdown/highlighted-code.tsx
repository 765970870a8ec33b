import bash from 'highlight.js/lib/languages/bash';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import r from 'highlight.js/lib/languages/r';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { createLowlight } from 'lowlight';
import type { ReactNode } from 'react';
import { withVisibleBidiControls } from './visible-controls.tsx';

const grammars = { bash, csharp, css, diff, go, java, javascript, json, python, r, sql, typescript, xml, yaml };
const { highlight, registerAlias, registered } = createLowlight(grammars);

// Aliases that models use and the grammars lack.
registerAlias({ bash: ['console', 'shell'], json: 'json5', sql: ['mysql', 'postgres', 'postgresql'] });

export type HighlightedCodeProps = { language: string; text: string };

type HighlightedNode = ReturnType<typeof highlight>['children'][number];

/** A lazily loaded chunk, because most replies have no code. */
export default function HighlightedCode({ language, text }: HighlightedCodeProps) {
  return registered(language) ? highlight(language, text).children.map(renderNode) : withVisibleBidiControls(text);
}

function renderNode(node: HighlightedNode, position: number): ReactNode {
  if (node.type === 'text') return withVisibleBidiControls(node.value);
  if (node.type !== 'element') return null;
  const { className } = node.properties;
  return (
    <span key={position} className={Array.isArray(className) ? className.join(' ') : undefined}>
      {node.children.map(renderNode)}
    </span>
  );
}
