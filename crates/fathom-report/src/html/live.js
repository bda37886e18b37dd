"use strict";
// Shows what the server sends: the page as it is now, whole, and the end of the command. What the reader opened stays open.
(() => {
  const state = document.querySelector("#live");
  const source = new EventSource("events");
  const folds = () => [...document.querySelectorAll("main details")];
  const show = text => {
    const page = new DOMParser().parseFromString(text, "text/html");
    const open = new Set(folds().filter(fold => fold.open).map(fold => fold.querySelector("summary").textContent));
    const main = page.querySelector("main");
    document.querySelectorAll(".tip").forEach(tip => tip.remove());
    document.querySelector("main").replaceWith(document.adoptNode(main));
    folds().forEach(fold => fold.open ||= open.has(fold.querySelector("summary").textContent));
    document.title = page.title;
    const script = document.createElement("script");
    script.textContent = page.querySelector("body > script").textContent;
    document.body.append(script);
    script.remove();
  };
  source.addEventListener("page", event => show(JSON.parse(event.data)));
  source.addEventListener("over", () => {
    source.close();
    state.textContent = "The command has ended. This page is its result, and does not change any more.";
  });
  source.onerror = () => {
    source.close();
    state.textContent = "fathom does not answer any more. This page holds what it sent last.";
  };
})();
