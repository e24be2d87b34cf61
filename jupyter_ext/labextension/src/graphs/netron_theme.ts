/**
 * The style of Netron's page inside JupyterLab.
 *
 * The page follows the *system's* colour scheme by media rules, but JupyterLab has its own theme.
 * So those rules are rewritten to apply always or never.
 */

const OWN_STYLE = `
  #menu-button, .menu { display: none !important; }
  .default, .target { background-color: var(--tf-background) !important; }
  .select > .node.node-border { stroke: var(--tf-accent) !important; }
  .select.edge-path { stroke: var(--tf-accent) !important; }
  .tf-plain #sidebar-model-button, .tf-plain #sidebar-target-button { display: none; }
  .toolbar { bottom: 4px; left: 4px; }
  .toolbar-button { width: 28px; height: 28px; }
  .tf-coloured .node-item-type path { fill: var(--tf-fill) !important; }
  .tf-coloured .node-item-type text { fill: #fff !important; }
`;

// The rules that spoke of the scheme, with what they said: once rewritten they say it no more.
const schemes = new WeakMap<CSSMediaRule, 'dark' | 'light'>();

/** Give a page of Netron's the light or the dark look, in JupyterLab's colours. */
export function applyTheme(page: Document, dark: boolean): void {
  for (const sheet of page.styleSheets) {
    for (const rule of sheet.cssRules) {
      if (isMediaRule(rule)) {
        const found = /prefers-color-scheme:\s*(dark|light)/.exec(
          rule.media.mediaText
        );
        const scheme = schemes.get(rule) ?? (found?.[1] as 'dark' | undefined);
        if (scheme) {
          schemes.set(rule, scheme);
          rule.media.mediaText = (scheme === 'dark') === dark ? 'all' : 'not all';
        }
      }
    }
  }
  let style = page.getElementById('torchferry-style');
  if (!style) {
    style = page.createElement('style');
    style.id = 'torchferry-style';
    style.textContent = OWN_STYLE;
    page.head.append(style);
  }
  const outer = getComputedStyle(document.body);
  const root = page.documentElement;
  const take = (name: string, from: string) =>
    root.style.setProperty(name, outer.getPropertyValue(from).trim());
  take('--tf-background', '--jp-layout-color0');
  take('--tf-accent', '--jp-brand-color1');
  root.dataset.theme = dark ? 'dark' : 'light';
}

/** Not `instanceof`: the rule belongs to another frame. */
function isMediaRule(rule: CSSRule): rule is CSSMediaRule {
  return rule.type === CSSRule.MEDIA_RULE;
}
